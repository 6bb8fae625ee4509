import type { MemoryEvent } from '../../domain/memory/events.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { digestOf, digestOfAll } from '../../read-models/digest.ts';
import { rowsOf } from '../memory-rows.ts';
import { ofMemory, rowsWith } from '../holding.ts';
import type { Projection } from '../projection.ts';
import { protect, type Tables } from '../../read-models/table.ts';
import { together, type Write } from '../write.ts';
import { scopeColumns } from '../scope-columns.ts';
import { changesOf, type FieldContributions } from './field-contributions.ts';
import { writeContributions } from './contribution-rows.ts';
import { sumsOf, writeSums } from './sums.ts';

/**
 * The values of memory fields and how many active memories have them, separately for each audience: what a planner can know about a
 * tenant. A value that no memory has any more is deleted.
 */
export const fields: Projection = {
  name: 'fields',
  version: 2,
  handles: ['MemoryStored', 'MemoryUpdated', 'MemoryDeleted', 'MemoryRestored', 'MemoryErased'],
  tables: ['fields', 'fields_held'],
  create: (tables) => [
    `create table ${tables('fields')} (
      tenant text not null,
      id uuid not null,
      ${scopeColumns},
      field text not null,
      value jsonb not null,
      key text not null,
      kind text not null,
      memories bigint not null,
      primary key (tenant, id)
    )`,
    `create index on ${tables('fields')} (tenant, key)`,
    `create index on ${tables('fields')} (tenant, kind) where kind = 'version'`,
    `create table ${tables('fields_held')} (
      tenant text not null,
      memory_id uuid not null,
      layer text not null,
      scope jsonb not null,
      occurred_at text,
      active boolean not null,
      held jsonb not null,
      primary key (tenant, memory_id)
    )`,
    ...protect(tables('fields')),
    ...protect(tables('fields_held')),
  ],
  plan,
  holds: (tables) => rowsWith([tables('fields_held'), ofMemory]),
  digest: (tables) =>
    digestOfAll(
      digestOf(tables('fields'), {
        tenant: 'text',
        id: 'uuid',
        field: 'text',
        value: 'jsonb',
        memories: 'bigint',
      }),
      digestOf(tables('fields_held'), {
        tenant: 'text',
        memory_id: 'uuid',
        active: 'boolean',
        held: 'jsonb',
      }),
    ),
};

async function plan(events: readonly LoadedEvent[], executor: SqlExecutor, tables: Tables): Promise<Write> {
  const facts = events as readonly LoadedEvent<MemoryEvent>[];
  const before = await rowsOf<FieldContributions>(facts, executor, tables('fields_held'));
  const changes = await changesOf(facts, before);
  return together(writeContributions(changes, tables), writeSums(await sumsOf(changes), tables));
}
