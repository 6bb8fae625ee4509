import type { MemoryEvent } from '../../domain/memory/events.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import type { Tables } from '../projection.ts';
import { memoryKeys, Recordset } from '../recordset.ts';
import { insert, remove, together, type Write } from '../write.ts';
import type { Held, HeldChange } from './held.ts';

const written = new Recordset({
  tenant: 'text',
  memory_id: 'uuid',
  layer: 'text',
  scope: 'jsonb',
  occurred_at: 'text',
  active: 'boolean',
  held: 'jsonb',
});

/** The rows of the memories that `facts` change, by memory. */
export async function loadHeld(
  facts: readonly LoadedEvent<MemoryEvent>[],
  executor: SqlExecutor,
  tables: Tables,
): Promise<Map<string, Held>> {
  const wanted = facts
    .filter(({ event }) => event.type !== 'MemoryStored')
    .map(({ event, metadata }) => ({ tenant: metadata.tenant, memory_id: event.data.memoryId }));
  if (wanted.length === 0) return new Map();
  const rows = await executor.query<Held & Record<string, unknown>>(
    `select distinct on (h.tenant, h.memory_id) h.* from ${memoryKeys.as('wanted')}
     join ${tables('fields_held')} h using (tenant, memory_id)`,
    memoryKeys.bind(wanted),
  );
  return new Map(rows.map((row) => [`${row.tenant}/${row.memory_id}`, row]));
}

export function writeHeld(changes: ReadonlyMap<string, HeldChange>, tables: Tables): Write {
  const present: Held[] = [];
  const gone: Pick<Held, 'tenant' | 'memory_id'>[] = [];
  for (const { before, after } of changes.values()) {
    if (after && after !== before) present.push(after);
    if (before && !after) gone.push({ tenant: before.tenant, memory_id: before.memory_id });
  }
  return together(
    insert(
      tables('fields_held'),
      written,
      present,
      'on conflict (tenant, memory_id) do update set active = excluded.active, held = excluded.held',
    ),
    remove(tables('fields_held'), memoryKeys, gone),
  );
}
