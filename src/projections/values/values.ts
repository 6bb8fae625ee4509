import type { UseEvent } from '../../domain/learning/value-events.ts';
import type { MemoryEvent } from '../../domain/memory/events.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { digestOf, digestOfAll } from '../../read-models/digest.ts';
import { ErasedMemories, type MemoryKey } from '../erased-memories.ts';
import { ofMemory, rowsWith } from '../holding.ts';
import type { Projection } from '../projection.ts';
import { protect, type Tables } from '../../read-models/table.ts';
import { memoryKeys, Recordset } from '../../read-models/recordset.ts';
import { insert, nothing, remove, statement, together, type Write } from '../write.ts';

type Handled = LoadedEvent<UseEvent | Extract<MemoryEvent, { type: 'MemoryErased' }>>;
type Results = UseEvent['data']['results'];

interface SearchRow {
  readonly tenant: string;
  readonly search_id: string;
  /** Key of the question, or of the search if that is not known. */
  readonly question: string;
  readonly asker: string;
  readonly asked_at: number;
  readonly known_at: number;
  readonly is_used: boolean;
  readonly results: Results;
}

interface ValueRow extends MemoryKey {
  readonly asker: string;
  uses: number;
  expected: number;
}

const searchKeys = { tenant: 'text', search_id: 'text' } as const;
const searchColumns = {
  ...searchKeys,
  question: 'text',
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
const erasures = new ErasedMemories('value_erasures');

/** Relevance is summed in millionths, so that sums are exact in any order. */
const millionths = (relevance: number): number => Math.round(relevance * 1_000_000);

/**
 * How often each memory was used, and how often its relevance promised it, in searches with an explicit outcome, separately for each
 * user who asked ('' is a caller without one). The row of a search is written by its own stream. Those of memories are sums, to which a
 * search adds the difference to what it had added before. The erasure of a memory deletes its sums and its results in the rows of
 * searches, and an outcome that is applied later counts nothing for it. The rows are the same in any order of the streams.
 */
export const values: Projection = {
  name: 'values',
  version: 3,
  handles: ['UseObserved', 'MemoryErased'],
  tables: ['values', 'value_searches', erasures.table],
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
      question text not null,
      asker text not null,
      asked_at bigint not null,
      known_at bigint not null,
      is_used boolean not null,
      results jsonb not null,
      primary key (tenant, search_id)
    )`,
    `create index on ${tables('value_searches')} (tenant, known_at)`,
    `create index on ${tables('value_searches')} using gin (results jsonb_path_ops)`,
    ...['values', 'value_searches'].flatMap((table) => protect(tables(table))),
    ...erasures.create(tables),
  ],
  plan: (events, executor, tables) => plan(events as readonly Handled[], executor, tables),
  holds: (tables) =>
    rowsWith(
      [tables('values'), ofMemory],
      [tables('value_searches'), `results @> jsonb_build_array(jsonb_build_object('memoryId', $2::text))`],
    ),
  digest: (tables) =>
    digestOfAll(
      digestOf(tables('values'), valueColumns),
      digestOf(tables('value_searches'), { ...searchColumns, results: 'jsonb' }),
      digestOf(tables(erasures.table), erasures.columns),
    ),
};

async function plan(events: readonly Handled[], executor: SqlExecutor, tables: Tables): Promise<Write> {
  const gone: MemoryKey[] = [];
  const latest = new Map<string, SearchRow>();
  for (const loaded of events)
    if (isErasure(loaded))
      gone.push({ tenant: loaded.metadata.tenant, memory_id: loaded.event.data.memoryId });
    else latest.set(loaded.stream, rowOf(loaded as LoadedEvent<UseEvent>));
  const observed = [...latest.values()];
  const known = await readKnown(observed, executor, tables);
  const sums = new Map<string, ValueRow>();
  for (const row of known) add(sums, row, -1);
  for (const row of observed) add(sums, row, 1);
  const changes = [...sums.values()].sort((left, right) => (left.memory_id < right.memory_id ? -1 : 1));
  return together(
    erasures.add(tables, gone),
    remove(tables('values'), memoryKeys, gone),
    insert(
      tables('value_searches'),
      addedSearches,
      observed.map((row) => ({ ...row, results: JSON.stringify(row.results) })),
      `on conflict (tenant, search_id) do update set
         known_at = excluded.known_at, is_used = excluded.is_used, results = excluded.results`,
    ),
    removeErasedResults(tables, [...gone, ...observed.flatMap(shownIn)]),
    erasures.insertOthers(
      tables,
      'values',
      valueColumns,
      changes,
      `on conflict (tenant, memory_id, asker) do update set
         uses = t.uses + excluded.uses, expected = t.expected + excluded.expected`,
    ),
    // What was withdrawn leaves nothing behind, as if it had never been counted.
    remove(
      tables('values'),
      memoryKeys,
      changes.filter(({ uses, expected }) => uses <= 0 && expected <= 0),
      't.uses = 0 and t.expected = 0',
    ),
  );
}

type KnownRow = Pick<SearchRow, 'tenant' | 'asker' | 'results'> & Record<string, unknown>;

/** What these searches have added before. */
function readKnown(
  searches: readonly SearchRow[],
  executor: SqlExecutor,
  tables: Tables,
): Promise<KnownRow[]> {
  if (searches.length === 0) return Promise.resolve([]);
  return executor.query<KnownRow>(
    `select t.tenant, t.asker, t.results from ${wantedSearches.as('wanted')}
     join ${tables('value_searches')} t on ${wantedSearches.equal('t', 'wanted')}`,
    wantedSearches.bind(searches),
  );
}

/**
 * Removes those of the memories that are erased from the results of all searches. The tenant is compared last: with it the planner would
 * rather read all of its searches for each memory than the index of results.
 */
function removeErasedResults(tables: Tables, memories: readonly MemoryKey[]): Write {
  if (memories.length === 0) return nothing;
  const table = tables('value_searches');
  return statement(
    `update ${table} t set results = (
       select coalesce(jsonb_agg(one.result order by one.place), '[]')
       from jsonb_array_elements(t.results) with ordinality one(result, place)
       where one.result->>'memoryId' <> all (naming.ids))
     from (
       select s.tenant, s.search_id, array_agg(gone.memory_id::text) as ids
       from (${erasures.among(tables)}) gone cross join lateral (
         select n.tenant, n.search_id from ${table} n
         where n.results @> jsonb_build_array(jsonb_build_object('memoryId', gone.memory_id)) offset 0) s
       where s.tenant = gone.tenant
       group by s.tenant, s.search_id) naming
     where t.tenant = naming.tenant and t.search_id = naming.search_id`,
    erasures.bind(memories),
  );
}

function isErasure(loaded: Handled): loaded is LoadedEvent<Extract<MemoryEvent, { type: 'MemoryErased' }>> {
  return loaded.event.type === 'MemoryErased';
}

function shownIn({ tenant, results }: SearchRow): MemoryKey[] {
  return results.map(({ memoryId }) => ({ tenant, memory_id: memoryId }));
}

function rowOf({ event, metadata, position }: LoadedEvent<UseEvent>): SearchRow {
  const { searchId, question = searchId, user = '', askedAt, results } = event.data;
  return {
    tenant: metadata.tenant,
    search_id: searchId,
    question,
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
