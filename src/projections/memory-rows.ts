import type { MemoryEvent } from '../domain/memory/events.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { SqlExecutor } from '../ports/sql.ts';
import { memoryKeys } from './recordset.ts';

/** A memory, as rows name it. */
export interface MemoryKey {
  readonly tenant: string;
  readonly memory_id: string;
}

/** Which memory an event is of. */
export function memoryOf({ event, metadata }: LoadedEvent<MemoryEvent>): MemoryKey {
  return { tenant: metadata.tenant, memory_id: event.data.memoryId };
}

/** A memory in one text, for maps. */
export function memoryKey({ tenant, memory_id }: MemoryKey): string {
  return `${tenant}/${memory_id}`;
}

/** By `memoryKey`, the rows of `table` of the memories that `facts` tell of, as they stand; but for those that the facts themselves make. */
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
