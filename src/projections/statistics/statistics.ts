import { memoryEvents, type MemoryEvent } from '../../domain/memory/events.ts';
import { isWithheld } from '../../domain/trust/trust.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { Table, type Draft, type Row, type Tables } from '../../read-models/table.ts';
import { ofMemory, rowsWith } from '../holding.ts';
import { memoryKey, memoryOf, rowsOf } from '../memory-rows.ts';
import { declaredBy, type Projection } from '../projection.ts';
import { removeRows, together, upsert, type Write } from '../write.ts';

const amounts = new Table('statistics', {
  columns: {
    tenant: 'text',
    layer: 'text',
    space: 'text',
    state: 'text',
    memories: 'bigint',
    characters: 'bigint',
    bytes: 'bigint',
  },
  key: ['tenant', 'layer', 'space', 'state'],
  combined: { memories: 'sum', characters: 'sum', bytes: 'sum' },
  digestedRows: 'memories <> 0',
});

/** What one memory contributes to the sums, enough to subtract it again; and when it expires, to find what is due. */
const counted = new Table('statistics_counted', {
  columns: {
    tenant: 'text',
    memory_id: 'uuid',
    layer: 'text',
    spaces: 'text[]',
    state: 'text',
    withheld: 'boolean',
    characters: 'integer',
    bytes: 'integer',
    expires_at: 'timestamptz?',
    kept: 'boolean',
  },
  key: ['tenant', 'memory_id'],
  indexes: [
    `(expires_at) where expires_at is not null and not kept and state <> 'deleted'`,
    `(tenant, memory_id) where state = 'archived'`,
  ],
});

type Counted = Row<typeof counted>;

/** Numbers and sizes of memories by tenant, layer and space. The space '' stands for all memories of the layer. */
export const statistics: Projection = {
  name: 'statistics',
  version: 3,
  handles: memoryEvents,
  ...declaredBy(amounts, counted),
  plan,
  holds: (tables) => rowsWith([tables(counted.name), ofMemory]),
};

async function plan(events: readonly LoadedEvent[], executor: SqlExecutor, tables: Tables): Promise<Write> {
  const facts = events as readonly LoadedEvent<MemoryEvent>[];
  const before = await rowsOf(facts, executor, tables, counted);
  const after = new Map<string, Counted | undefined>();
  for (const fact of facts) {
    const key = memoryKey(memoryOf(fact));
    after.set(key, next(after.has(key) ? after.get(key) : before.get(key), fact));
  }
  return together(writeCounted(before, after, tables), upsert(tables, amounts, sums(before, after)));
}

/** Uses only routing fields, so an erased memory is counted until its erasure subtracts it. */
function next(row: Counted | undefined, { event, metadata }: LoadedEvent<MemoryEvent>): Counted | undefined {
  switch (event.type) {
    case 'MemoryStored': {
      const { memoryId, layer, spaces, contentLength, contentBytes, expiresAt, retention } = event.data;
      return {
        tenant: metadata.tenant,
        memory_id: memoryId,
        layer,
        spaces,
        state: 'active',
        withheld: isWithheld(event.data),
        characters: contentLength,
        bytes: contentBytes,
        expires_at: timeOf(expiresAt),
        kept: retention === 'keep',
      };
    }
    case 'MemoryUpdated': {
      if (!row) return row;
      const { spaces = row.spaces, contentLength = row.characters, contentBytes = row.bytes } = event.data;
      const { expiresAt, retention, trust } = event.data;
      return {
        ...row,
        spaces,
        characters: contentLength,
        bytes: contentBytes,
        ...(expiresAt !== undefined && { expires_at: timeOf(expiresAt) }),
        ...(retention !== undefined && { kept: retention === 'keep' }),
        ...(trust && { withheld: isWithheld({ trust }) }),
      };
    }
    case 'MemoryDeleted':
      return row && { ...row, state: 'deleted' };
    case 'MemoryArchived':
      return row && { ...row, state: 'archived' };
    case 'MemoryRestored':
    case 'MemoryUnarchived':
      return row && { ...row, state: 'active' };
    case 'MemoryReviewed':
      return row && { ...row, withheld: isWithheld(event.data) };
    case 'MemoryErased':
      return undefined;
    default:
      return event satisfies never;
  }
}

function timeOf(sent: string | null | undefined): Date | undefined {
  return sent == null ? undefined : new Date(sent);
}

/** The state that a memory is counted under. One that waits for a review counts as withheld, unless it is deleted. */
function shownAs({ state, withheld }: Counted): string {
  return withheld && state !== 'deleted' ? 'withheld' : state;
}

type Sum = Draft<Row<typeof amounts>>;

function sums(before: ReadonlyMap<string, Counted>, after: ReadonlyMap<string, Counted | undefined>): Sum[] {
  const all = new Map<string, Sum>();
  const add = (row: Counted | undefined, sign: number) => {
    for (const space of row ? ['', ...new Set(row.spaces)] : []) {
      const { tenant, layer, characters, bytes } = row!;
      const state = shownAs(row!);
      const key = JSON.stringify([tenant, layer, space, state]);
      const sum = all.get(key) ?? { tenant, layer, space, state, memories: 0, characters: 0, bytes: 0 };
      sum.memories += sign;
      sum.characters += sign * characters;
      sum.bytes += sign * bytes;
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

function writeCounted(
  before: ReadonlyMap<string, Counted>,
  after: ReadonlyMap<string, Counted | undefined>,
  tables: Tables,
): Write {
  const present = [...after.values()].filter((row) => row !== undefined);
  const gone = [...after].flatMap(([key, row]) => (row === undefined ? (before.get(key) ?? []) : []));
  return together(upsert(tables, counted, present), removeRows(tables, counted, gone));
}
