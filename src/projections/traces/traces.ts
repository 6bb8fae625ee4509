import type { RecordedTrace, TraceEvent } from '../../domain/experience/events.ts';
import type { MemoryEvent } from '../../domain/memory/events.ts';
import { embedEach, vectorIn, type Embedder, type Embedders } from '../../ports/embedder.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { Table, type Row, type Tables } from '../../read-models/table.ts';
import { ErasedMemories } from '../erased-memories.ts';
import { named, rowsWith } from '../holding.ts';
import type { MemoryKey } from '../memory-rows.ts';
import { declaredBy, type Projection } from '../projection.ts';
import { scopeColumnNames, scopeColumns, scopeRow } from '../scope-columns.ts';
import { insertWithVectors } from '../vectors/vector-sql.ts';
import { nothing, removeRows, statement, together, type Write } from '../write.ts';

const traceRows = new Table('traces', {
  columns: {
    tenant: 'text',
    trace_id: 'uuid',
    ...scopeColumns,
    outcome: 'text',
    origin: 'text',
    space: 'text?',
    memories: 'text[]',
    query: 'text',
    trace: 'jsonb',
    created_by: 'text',
    created_at: 'timestamptz',
    position: 'bigint',
  },
  key: ['tenant', 'trace_id'],
  indexes: [
    '(tenant, position desc)',
    '(tenant, user_id, position desc) where user_id is not null',
    `using gin (memories) where origin = 'search'`,
  ],
  undigested: [...scopeColumnNames, 'origin', 'space', 'query', 'created_by', 'created_at'],
});
const erasures = new ErasedMemories('trace_erasures');

type Handled = LoadedEvent<TraceEvent | Extract<MemoryEvent, { type: 'MemoryErased' }>>;

interface TraceRow extends Row<typeof traceRows> {
  readonly trace: RecordedTrace;
}

/** The vector of a question; undefined if the model will never accept it. */
type Vectors = ReadonlyMap<string, Float32Array | undefined>;

/**
 * Attempts with the vector of their question, made by the configured model. A row is gone with its trace. The trace of a caller is erased
 * with its memories. The trace of a search outlives those that it found: its row loses the id of a memory that is erased.
 */
export function traces(embedders: Embedders): Projection<Vectors> {
  const { id, dimension } = embedders.preferred;
  const embedder = embedders.of(id);
  if (!embedder) throw new RangeError(`no model ${id}`);
  return {
    name: 'traces',
    version: 2,
    variant: id,
    largeBatchSize: 256,
    handles: ['ReasoningTraceRecorded', 'ReasoningTraceResolved', 'ReasoningTraceErased', 'MemoryErased'],
    ...declaredBy(traceRows, erasures.table),
    create: (tables) => [
      ...traceRows.create(tables, `question vector(${dimension})`),
      ...erasures.table.create(tables),
    ],
    prepare: (events) => embedQuestions(embedder, rowsAfter(ofTraces(events as readonly Handled[]))),
    plan: (events, _, tables, vectors) =>
      Promise.resolve(plan(events as readonly Handled[], tables, vectors)),
    holds: (tables) => rowsWith([tables(traceRows.name), named('memories')]),
  };
}

function ofTraces(events: readonly Handled[]): readonly LoadedEvent<TraceEvent>[] {
  return events.filter((loaded): loaded is LoadedEvent<TraceEvent> => loaded.event.type !== 'MemoryErased');
}

/** The rows that the events add, by stream, as they are after all of them; undefined where they remove one. */
function rowsAfter(events: readonly LoadedEvent<TraceEvent>[]): ReadonlyMap<string, TraceRow | undefined> {
  const rows = new Map<string, TraceRow | undefined>();
  for (const { stream, event, metadata, time, position, erased } of events) {
    if (event.type === 'ReasoningTraceErased' || erased) {
      rows.set(stream, undefined);
      continue;
    }
    if (event.type === 'ReasoningTraceResolved') {
      const row = rows.get(stream);
      if (row) rows.set(stream, { ...row, ...resolved(row, event.data) });
      continue;
    }
    const { layer, scope, ...trace } = event.data;
    rows.set(stream, {
      tenant: metadata.tenant,
      trace_id: trace.traceId,
      ...scopeRow(layer, scope),
      outcome: trace.outcome,
      origin: trace.origin,
      space: trace.space,
      memories: trace.memoryIds,
      query: trace.query,
      trace: event.data,
      created_by: metadata.actor,
      created_at: time,
      position,
    });
  }
  return rows;
}

type Resolved = Extract<TraceEvent, { type: 'ReasoningTraceResolved' }>['data'];

function resolved(
  { trace }: TraceRow,
  { outcome, helpfulIds }: Resolved,
): Pick<TraceRow, 'outcome' | 'trace'> {
  return { outcome, trace: { ...trace, helpfulIds } };
}

/** The change of a row that an earlier batch added. It may have lost one of the memories since. */
function resolve(table: string, tenant: string, { traceId, outcome, helpfulIds }: Resolved): Write {
  return statement(
    `update ${table} t set outcome = $3, trace = t.trace || jsonb_build_object('helpfulIds', (
       select coalesce(jsonb_agg(helpful.id order by helpful.place), '[]')
       from unnest($4::text[]) with ordinality helpful(id, place) where helpful.id = any (t.memories)))
     where t.tenant = $1 and t.trace_id = $2::uuid`,
    [tenant, traceId, outcome, helpfulIds],
  );
}

/**
 * Removes those of the memories that are erased from the traces of searches. The tenant is compared last, so that the planner reads the
 * index of memories.
 */
function removeErasedMemories(tables: Tables, memories: readonly MemoryKey[]): Write {
  if (memories.length === 0) return nothing;
  const table = tables(traceRows.name);
  const left = (ids: string) =>
    `(select coalesce(jsonb_agg(one.id order by one.place), '[]')
      from jsonb_array_elements_text(t.trace->'${ids}') with ordinality one(id, place) where one.id <> all (naming.ids))`;
  return statement(
    `update ${table} t set
       memories = array(
         select one.id from unnest(t.memories) with ordinality one(id, place)
         where one.id <> all (naming.ids) order by one.place),
       trace = t.trace || jsonb_build_object('memoryIds', ${left('memoryIds')})
         || case when t.trace ? 'helpfulIds' then jsonb_build_object('helpfulIds', ${left('helpfulIds')}) else '{}' end
     from (
       select s.tenant, s.trace_id, array_agg(gone.memory_id::text) as ids
       from (${erasures.among(tables)}) gone cross join lateral (
         select n.tenant, n.trace_id from ${table} n
         where n.origin = 'search' and n.memories @> array[gone.memory_id::text] offset 0) s
       where s.tenant = gone.tenant
       group by s.tenant, s.trace_id) naming
     where t.tenant = naming.tenant and t.trace_id = naming.trace_id`,
    erasures.bind(memories),
  );
}

async function embedQuestions(
  embedder: Embedder,
  rows: ReadonlyMap<string, TraceRow | undefined>,
): Promise<Vectors> {
  const questions = [...new Set([...rows.values()].flatMap((row) => (row ? [row.query] : [])))];
  if (questions.length === 0) return new Map();
  const outcomes = await embedEach(embedder, questions, 'query');
  return new Map(questions.map((question, index) => [question, vectorIn(outcomes[index])]));
}

function plan(all: readonly Handled[], tables: Tables, vectors: Vectors): Write {
  const events = ofTraces(all);
  const rows = [...rowsAfter(events).values()].filter((row) => row !== undefined);
  const erased = all.flatMap(({ event, metadata }) =>
    event.type === 'MemoryErased' ? [{ tenant: metadata.tenant, memory_id: event.data.memoryId }] : [],
  );
  const named = rows.flatMap(({ tenant, origin, memories }) =>
    origin === 'search' ? memories.map((id) => ({ tenant, memory_id: id })) : [],
  );
  const gone = events.flatMap(({ event, metadata, erased }) =>
    event.type === 'ReasoningTraceErased' || erased
      ? [{ tenant: metadata.tenant, trace_id: event.data.traceId }]
      : [],
  );
  return together(
    erasures.add(tables, erased),
    ...events.map(({ event, metadata, erased }) =>
      event.type === 'ReasoningTraceResolved' && !erased
        ? resolve(tables(traceRows.name), metadata.tenant, event.data)
        : nothing,
    ),
    removeRows(tables, traceRows, gone),
    insertWithVectors(
      tables,
      traceRows,
      rows,
      'question',
      rows.map(({ query }) => vectors.get(query)),
    ),
    removeErasedMemories(tables, [...erased, ...named]),
  );
}
