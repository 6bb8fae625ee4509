import type { MemoryEvent } from '../../domain/memory/events.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { digestOf, digestOfAll } from '../../read-models/digest.ts';
import { ofMemory, rowsWith } from '../holding.ts';
import type { Projection } from '../projection.ts';
import { protect, type Tables } from '../../read-models/table.ts';
import { memoryKey, memoryOf, rowsOf } from '../memory-rows.ts';
import { memoryKeys, Recordset } from '../../read-models/recordset.ts';
import { insert, remove, together, type Write } from '../write.ts';

/** What one memory contributes to the sums: enough to subtract it again. */
interface Counted {
  readonly tenant: string;
  readonly memory_id: string;
  readonly layer: string;
  readonly spaces: readonly string[];
  readonly state: 'active' | 'deleted';
  readonly characters: number;
}

const sumColumns = {
  tenant: 'text',
  layer: 'text',
  space: 'text',
  state: 'text',
  memories: 'bigint',
  characters: 'bigint',
} as const;

const countedColumns = {
  tenant: 'text',
  memory_id: 'uuid',
  layer: 'text',
  spaces: 'text[]',
  state: 'text',
  characters: 'integer',
} as const;

/** Numbers and sizes of memories by tenant, layer and space. The space '' stands for all memories of the layer. */
export const statistics: Projection = {
  name: 'statistics',
  version: 1,
  handles: ['MemoryStored', 'MemoryUpdated', 'MemoryDeleted', 'MemoryRestored', 'MemoryErased'],
  tables: ['statistics', 'statistics_counted'],
  create: (tables) => [
    `create table ${tables('statistics')} (
      tenant text not null,
      layer text not null,
      space text not null,
      state text not null,
      memories bigint not null,
      characters bigint not null,
      primary key (tenant, layer, space, state)
    )`,
    `create table ${tables('statistics_counted')} (
      tenant text not null,
      memory_id uuid not null,
      layer text not null,
      spaces text[] not null,
      state text not null,
      characters integer not null,
      primary key (tenant, memory_id)
    )`,
    ...protect(tables('statistics')),
    ...protect(tables('statistics_counted')),
  ],
  plan,
  holds: (tables) => rowsWith([tables('statistics_counted'), ofMemory]),
  digest: (tables) =>
    digestOfAll(
      digestOf(tables('statistics'), sumColumns, 'memories <> 0'),
      digestOf(tables('statistics_counted'), countedColumns),
    ),
};

async function plan(events: readonly LoadedEvent[], executor: SqlExecutor, tables: Tables): Promise<Write> {
  const facts = events as readonly LoadedEvent<MemoryEvent>[];
  const before = await rowsOf<Counted>(facts, executor, tables('statistics_counted'));
  const after = new Map<string, Counted | undefined>();
  for (const fact of facts) {
    const key = memoryKey(memoryOf(fact));
    after.set(key, next(after.has(key) ? after.get(key) : before.get(key), fact));
  }
  return together(writeCounted(before, after, tables), writeSums(sums(before, after), tables));
}

/** Uses only routing fields, so an erased memory is counted until its erasure subtracts it. */
function next(row: Counted | undefined, { event, metadata }: LoadedEvent<MemoryEvent>): Counted | undefined {
  switch (event.type) {
    case 'MemoryStored': {
      const { memoryId, layer, spaces, contentLength } = event.data;
      return {
        tenant: metadata.tenant,
        memory_id: memoryId,
        layer,
        spaces,
        state: 'active',
        characters: contentLength,
      };
    }
    case 'MemoryUpdated': {
      if (!row) return row;
      const { spaces = row.spaces, contentLength = row.characters } = event.data;
      return { ...row, spaces, characters: contentLength };
    }
    case 'MemoryDeleted':
      return row && { ...row, state: 'deleted' };
    case 'MemoryRestored':
      return row && { ...row, state: 'active' };
    case 'MemoryErased':
      return undefined;
    default:
      return event satisfies never;
  }
}

interface Sum {
  readonly tenant: string;
  readonly layer: string;
  readonly space: string;
  readonly state: string;
  memories: number;
  characters: number;
}

function sums(before: ReadonlyMap<string, Counted>, after: ReadonlyMap<string, Counted | undefined>): Sum[] {
  const all = new Map<string, Sum>();
  const add = (row: Counted | undefined, sign: number) => {
    for (const space of row ? ['', ...new Set(row.spaces)] : []) {
      const { tenant, layer, state, characters } = row!;
      const key = JSON.stringify([tenant, layer, space, state]);
      const sum = all.get(key) ?? { tenant, layer, space, state, memories: 0, characters: 0 };
      sum.memories += sign;
      sum.characters += sign * characters;
      all.set(key, sum);
    }
  };
  for (const [key, row] of after) {
    add(before.get(key), -1);
    add(row, 1);
  }
  // In a fixed order, so that two writers cannot deadlock.
  return [...all].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, sum]) => sum);
}

const changed = new Recordset(sumColumns);

function writeSums(rows: readonly Sum[], tables: Tables): Write {
  return insert(
    tables('statistics'),
    changed,
    rows,
    `on conflict (tenant, layer, space, state) do update
     set memories = t.memories + excluded.memories, characters = t.characters + excluded.characters`,
  );
}

const counted = new Recordset(countedColumns);

function writeCounted(
  before: ReadonlyMap<string, Counted>,
  after: ReadonlyMap<string, Counted | undefined>,
  tables: Tables,
): Write {
  const present = [...after.values()].filter((row) => row !== undefined);
  const gone = [...after].flatMap(([key, row]) => (row === undefined ? (before.get(key) ?? []) : []));
  return together(
    insert(
      tables('statistics_counted'),
      counted,
      present,
      `on conflict (tenant, memory_id) do update
       set spaces = excluded.spaces, state = excluded.state, characters = excluded.characters`,
    ),
    remove(tables('statistics_counted'), memoryKeys, gone),
  );
}
