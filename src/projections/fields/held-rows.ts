import type { MemoryEvent } from '../../domain/memory/events.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import type { Tables } from '../projection.ts';
import { memoryKeys, Recordset } from '../recordset.ts';
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
  tx: SqlExecutor,
  tables: Tables,
): Promise<Map<string, Held>> {
  const wanted = facts
    .filter(({ event }) => event.type !== 'MemoryStored')
    .map(({ event, metadata }) => ({ tenant: metadata.tenant, memory_id: event.data.memoryId }));
  if (wanted.length === 0) return new Map();
  const rows = await tx.query<Held & Record<string, unknown>>(
    `select distinct on (h.tenant, h.memory_id) h.* from ${memoryKeys.as('wanted')}
     join ${tables('fields_held')} h using (tenant, memory_id)`,
    memoryKeys.bind(wanted),
  );
  return new Map(rows.map((row) => [`${row.tenant}/${row.memory_id}`, row]));
}

export async function writeHeld(
  changes: ReadonlyMap<string, HeldChange>,
  tx: SqlExecutor,
  tables: Tables,
): Promise<void> {
  const present: Held[] = [];
  const gone: Pick<Held, 'tenant' | 'memory_id'>[] = [];
  for (const { before, after } of changes.values()) {
    if (after && after !== before) present.push(after);
    if (before && !after) gone.push({ tenant: before.tenant, memory_id: before.memory_id });
  }
  if (present.length > 0)
    await tx.query(
      `insert into ${tables('fields_held')} (${written.names})
       select ${written.names} from ${written.as('written')}
       on conflict (tenant, memory_id) do update set active = excluded.active, held = excluded.held`,
      written.bind(present),
    );
  if (gone.length > 0)
    await tx.query(
      `delete from ${tables('fields_held')} h
       using ${memoryKeys.as('gone')}
       where h.tenant = gone.tenant and h.memory_id = gone.memory_id`,
      memoryKeys.bind(gone),
    );
}
