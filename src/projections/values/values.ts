import type { UseEvent } from '../../domain/learning/value-events.ts';
import type { MemoryEvent } from '../../domain/memory/events.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { memoryKeys } from '../../read-models/recordset.ts';
import { Table, type Draft, type Row, type Tables } from '../../read-models/table.ts';
import { ErasedMemories } from '../erased-memories.ts';
import { ofMemory, rowsWith } from '../holding.ts';
import type { MemoryKey } from '../memory-rows.ts';
import { declaredBy, type Projection } from '../projection.ts';
import { findRows, nothing, remove, removeRows, statement, together, upsert, type Write } from '../write.ts';

type Handled = LoadedEvent<UseEvent | Extract<MemoryEvent, { type: 'MemoryErased' }>>;
type Results = UseEvent['data']['results'];

const sums = new Table('values', {
  columns: { tenant: 'text', memory_id: 'uuid', asker: 'text', uses: 'bigint', expected: 'bigint' },
  key: ['tenant', 'memory_id', 'asker'],
  combined: { uses: 'sum', expected: 'sum' },
});

/** `question` is the key of the question, or of the search if that is not known. */
const searches = new Table('value_searches', {
  columns: {
    tenant: 'text',
    search_id: 'text',
    question: 'text',
    asker: 'text',
    asked_at: 'bigint',
    known_at: 'bigint',
    is_used: 'boolean',
    results: 'jsonb',
  },
  key: ['tenant', 'search_id'],
  indexes: ['(tenant, known_at)', 'using gin (results jsonb_path_ops)'],
});

interface SearchRow extends Row<typeof searches> {
  readonly results: Results;
}

type SumRow = Draft<Row<typeof sums>>;

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
  ...declaredBy(sums, searches, erasures.table),
  plan: (events, executor, tables) => plan(events as readonly Handled[], executor, tables),
  holds: (tables) =>
    rowsWith(
      [tables(sums.name), ofMemory],
      [
        tables(searches.name),
        `exists (select 1 from jsonb_array_elements(results) as shown(result) where result->>'memoryId' = any ($2::text[]))`,
      ],
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
  // What these searches have added before is subtracted.
  const known = (await findRows(executor, tables, searches, observed)) as SearchRow[];
  const changes = new Map<string, SumRow>();
  for (const row of known) add(changes, row, -1);
  for (const row of observed) add(changes, row, 1);
  const changed = [...changes.values()].sort((left, right) => (left.memory_id < right.memory_id ? -1 : 1));
  return together(
    erasures.add(tables, gone),
    remove(tables(sums.name), memoryKeys, gone),
    upsert(tables, searches, observed),
    removeErasedResults(tables, [...gone, ...observed.flatMap(shownIn)]),
    erasures.upsertOthers(tables, sums, changed),
    // What was withdrawn leaves nothing behind, as if it had never been counted.
    removeRows(
      tables,
      sums,
      changed.filter(({ uses, expected }) => uses <= 0 && expected <= 0),
      't.uses = 0 and t.expected = 0',
    ),
  );
}

/**
 * Removes those of the memories that are erased from the results of all searches. The tenant is compared last: with it the planner would
 * rather read all of its searches for each memory than the index of results.
 */
function removeErasedResults(tables: Tables, memories: readonly MemoryKey[]): Write {
  if (memories.length === 0) return nothing;
  const table = tables(searches.name);
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

function add(changes: Map<string, SumRow>, { tenant, asker, results }: SearchRow, sign: 1 | -1): void {
  for (const { memoryId, relevance, used } of results) {
    const key = JSON.stringify([tenant, memoryId, asker]);
    const row = changes.get(key) ?? { tenant, memory_id: memoryId, asker, uses: 0, expected: 0 };
    changes.set(key, row);
    row.uses += used ? sign : 0;
    row.expected += sign * millionths(relevance);
  }
}
