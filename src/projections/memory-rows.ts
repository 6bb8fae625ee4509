import type { MemoryEvent } from '../domain/memory/events.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { SqlExecutor } from '../ports/sql.ts';
import { memoryKeys } from '../read-models/recordset.ts';

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

/** The current rows in `table` of the memories that `facts` change, by `memoryKey`. Memories that are stored by `facts` are not looked up. */
export async function rowsOf<Row extends MemoryKey>(
  facts: readonly LoadedEvent<MemoryEvent>[],
  executor: SqlExecutor,
  table: string,
  columns = 'r.*',
): Promise<Map<string, Row>> {
  const wanted = facts.filter(({ event }) => event.type !== 'MemoryStored').map(memoryOf);
  if (wanted.length === 0) return new Map();
  const rows = await executor.query<Row & Record<string, unknown>>(
    `select distinct on (r.tenant, r.memory_id) ${columns} from ${memoryKeys.as('wanted')}
     join ${table} r using (tenant, memory_id)`,
    memoryKeys.bind(wanted),
  );
  return new Map(rows.map((row) => [memoryKey(row), row]));
}
