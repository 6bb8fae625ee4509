import type { MemoryEvent } from '../domain/memory/events.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { SqlExecutor } from '../ports/sql.ts';
import type { Columns } from '../read-models/recordset.ts';
import type { RowOf, Table, Tables } from '../read-models/table.ts';
import { findRows } from './write.ts';

/** The events that change a memory. */
export const memoryEvents = [
  'MemoryStored',
  'MemoryUpdated',
  'MemoryDeleted',
  'MemoryRestored',
  'MemoryReviewed',
  'MemoryErased',
] as const satisfies readonly MemoryEvent['type'][];

/** The key of a memory in rows. */
export interface MemoryKey {
  readonly tenant: string;
  readonly memory_id: string;
}

/** The memory that an event belongs to. */
export function memoryOf({ event, metadata }: LoadedEvent<MemoryEvent>): MemoryKey {
  return { tenant: metadata.tenant, memory_id: event.data.memoryId };
}

/** The key as one string, for maps. */
export function memoryKey({ tenant, memory_id }: MemoryKey): string {
  return `${tenant}/${memory_id}`;
}

/**
 * The current rows of the memories that `facts` change, by `memoryKey`. Memories that are stored by `facts` are not looked up. `select`
 * are the columns as SQL on `t`.
 */
export async function rowsOf<Declared extends Columns>(
  facts: readonly LoadedEvent<MemoryEvent>[],
  executor: SqlExecutor,
  tables: Tables,
  table: Table<Declared, keyof MemoryKey>,
  select?: string,
): Promise<Map<string, RowOf<Declared>>> {
  const changed = facts.filter(({ event }) => event.type !== 'MemoryStored').map(memoryOf);
  const wanted = new Map(changed.map((memory) => [memoryKey(memory), memory]));
  const rows = await findRows(executor, tables, table, [...wanted.values()], select);
  return new Map(rows.map((row) => [memoryKey(row as MemoryKey), row]));
}
