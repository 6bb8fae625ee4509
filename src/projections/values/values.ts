import type { UseEvent } from '../../domain/learning/value-events.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { digestOf, digestOfAll } from '../digest.ts';
import { protect, type Projection, type Tables } from '../projection.ts';
import { Recordset } from '../recordset.ts';
import { insert, together, type Write } from '../write.ts';

type Results = UseEvent['data']['results'];

interface SearchRow {
  readonly tenant: string;
  readonly search_id: string;
  readonly asker: string;
  readonly asked_at: number;
  readonly known_at: number;
  readonly is_used: boolean;
  readonly results: Results;
}

interface ValueRow {
  readonly tenant: string;
  readonly memory_id: string;
  readonly asker: string;
  uses: number;
  expected: number;
}

const searchKeys = { tenant: 'text', search_id: 'text' } as const;
const searchColumns = {
  ...searchKeys,
  asker: 'text',
  asked_at: 'bigint',
  known_at: 'bigint',
  is_used: 'boolean',
} as const;
const wantedSearches = new Recordset(searchKeys);
const addedSearches = new Recordset({ ...searchColumns, results: 'json' });
const valueColumns = {
  tenant: 'text',
  memory_id: 'uuid',
  asker: 'text',
  uses: 'bigint',
  expected: 'bigint',
} as const;
const addedValues = new Recordset(valueColumns);

/** Relevance is summed in millionths, so that sums are exact in any order. */
const millionths = (relevance: number): number => Math.round(relevance * 1_000_000);

/**
 * How often each memory was used, and how often its relevance promised it, in searches with an explicit outcome; apart for each user
 * that asked ('' is a caller without one). The row of a search is written by its own stream. Those of memories are sums, to which a
 * search adds the difference to what it had added before. Like the sums of `usage`, those of an erased memory stay, and are never
 * read again.
 */
export const values: Projection = {
  name: 'values',
  version: 1,
  handles: ['UseObserved'],
  tables: ['values', 'value_searches'],
  create: (tables) => [
    `create table ${tables('values')} (
      tenant text not null,
      memory_id uuid not null,
      asker text not null,
      uses bigint not null,
      expected bigint not null,
      primary key (tenant, memory_id, asker)
    )`,
    `create table ${tables('value_searches')} (
      tenant text not null,
      search_id text not null,
      asker text not null,
      asked_at bigint not null,
      known_at bigint not null,
      is_used boolean not null,
      results jsonb not null,
      primary key (tenant, search_id)
    )`,
    `create index on ${tables('value_searches')} (tenant, known_at)`,
    ...protect(tables('values')),
    ...protect(tables('value_searches')),
  ],
  plan: (events, executor, tables) => plan(events as readonly LoadedEvent<UseEvent>[], executor, tables),
  digest: (tables) =>
    digestOfAll(
      digestOf(tables('values'), valueColumns),
      digestOf(tables('value_searches'), { ...searchColumns, results: 'jsonb' }),
    ),
};

async function plan(
  events: readonly LoadedEvent<UseEvent>[],
  executor: SqlExecutor,
  tables: Tables,
): Promise<Write> {
  const latest = new Map(events.map((loaded) => [loaded.stream, rowOf(loaded)]));
  const rows = [...latest.values()];
  const known = await executor.query<Pick<SearchRow, 'tenant' | 'asker' | 'results'>>(
    `select t.tenant, t.asker, t.results from ${wantedSearches.as('wanted')}
     join ${tables('value_searches')} t on ${wantedSearches.equal('t', 'wanted')}`,
    wantedSearches.bind(rows),
  );
  const sums = new Map<string, ValueRow>();
  for (const row of known) add(sums, row, -1);
  for (const row of rows) add(sums, row, 1);
  const changes = [...sums.values()].sort((left, right) => (left.memory_id < right.memory_id ? -1 : 1));
  return together(
    insert(
      tables('value_searches'),
      addedSearches,
      rows.map((row) => ({ ...row, results: JSON.stringify(row.results) })),
      `on conflict (tenant, search_id) do update set
         known_at = excluded.known_at, is_used = excluded.is_used, results = excluded.results`,
    ),
    insert(
      tables('values'),
      addedValues,
      changes,
      `on conflict (tenant, memory_id, asker) do update set
         uses = t.uses + excluded.uses, expected = t.expected + excluded.expected`,
    ),
  );
}

function rowOf({ event, metadata, position }: LoadedEvent<UseEvent>): SearchRow {
  const { searchId, user = '', askedAt, results } = event.data;
  return {
    tenant: metadata.tenant,
    search_id: searchId,
    asker: user,
    asked_at: askedAt,
    known_at: position,
    is_used: results.some(({ used }) => used),
    results,
  };
}

function add(
  sums: Map<string, ValueRow>,
  { tenant, asker, results }: Pick<SearchRow, 'tenant' | 'asker' | 'results'>,
  sign: 1 | -1,
): void {
  for (const { memoryId, relevance, used } of results) {
    const key = JSON.stringify([tenant, memoryId, asker]);
    const row = sums.get(key) ?? { tenant, memory_id: memoryId, asker, uses: 0, expected: 0 };
    sums.set(key, row);
    row.uses += used ? sign : 0;
    row.expected += sign * millionths(relevance);
  }
}
