import type { FeedbackEvent } from '../../domain/retrieval/events.ts';
import { embedEach, vectorIn, type Embedder, type Embedders } from '../../ports/embedder.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { memoryKeys } from '../../read-models/recordset.ts';
import { Table, type Row, type Tables } from '../../read-models/table.ts';
import { ofMemory, rowsWith } from '../holding.ts';
import { declaredBy, type Projection } from '../projection.ts';
import { insertWithVectors } from '../vectors/vector-sql.ts';
import { remove, statement, together, type Write } from '../write.ts';

/** Kind of a row that is no judgement but a question. */
const questionRow = 'question';

/** Judgements, and the questions that judgements of the same search are about. */
const judgements = new Table('feedback', {
  columns: {
    tenant: 'text',
    memory_id: 'uuid',
    position: 'bigint',
    kind: 'text',
    principal: 'text',
    score: 'double precision',
    search_id: 'text?',
    authoritative: 'boolean',
  },
  key: ['tenant', 'memory_id', 'position'],
  indexes: [`(tenant, memory_id, search_id) where kind = '${questionRow}'`],
});

type JudgementRow = Row<typeof judgements>;

/**
 * Every judgement of a memory, and of the questions that were judged their vectors: never the words. Rows are only added, so that a
 * search as of a position finds the feedback of then; the last event of the stream of an erased memory removes them all, and a question goes with the person who asked it.
 * The vectors are made by the configured model. While another one answers queries, `helpful` and `irrelevant` do not count.
 */
export function feedback(
  embedders: Embedders,
): Projection<ReadonlyMap<LoadedEvent, Float32Array | undefined>> {
  const { id, dimension } = embedders.preferred;
  const embedder = embedders.of(id);
  if (!embedder) throw new RangeError(`no model ${id}`);
  return {
    name: 'feedback',
    version: 3,
    variant: id,
    largeBatchSize: 256,
    handles: ['FeedbackGiven', 'QuestionJudged', 'QuestionErased', 'FeedbackErased'],
    ...declaredBy(judgements),
    create: (tables) => judgements.create(tables, `question vector(${dimension})`),
    prepare: (events) => embedQuestions(embedder, events as readonly LoadedEvent<FeedbackEvent>[]),
    plan: (events, _, tables, vectors) =>
      Promise.resolve(plan(events as readonly LoadedEvent<FeedbackEvent>[], tables, vectors)),
    holds: (tables) => rowsWith([tables(judgements.name), ofMemory]),
  };
}

async function embedQuestions(
  embedder: Embedder,
  events: readonly LoadedEvent<FeedbackEvent>[],
): Promise<ReadonlyMap<LoadedEvent, Float32Array | undefined>> {
  const texts: string[] = [];
  const asked: LoadedEvent[] = [];
  for (const loaded of events) {
    if (loaded.event.type !== 'QuestionJudged' || loaded.erased) continue;
    asked.push(loaded);
    texts.push(loaded.event.data.query);
  }
  const outcomes = texts.length === 0 ? [] : await embedEach(embedder, texts, 'query');
  return new Map(asked.map((loaded, index) => [loaded, vectorIn(outcomes[index])]));
}

function plan(
  events: readonly LoadedEvent<FeedbackEvent>[],
  tables: Tables,
  vectors: ReadonlyMap<LoadedEvent, Float32Array | undefined>,
): Write {
  const rows = new Map<JudgementRow, Float32Array | undefined>();
  const gone: { readonly tenant: string; readonly memory_id: string }[] = [];
  const questions: Pick<JudgementRow, 'tenant' | 'memory_id' | 'search_id'>[] = [];
  for (const loaded of events) {
    const memory = { tenant: loaded.metadata.tenant, memory_id: loaded.event.data.memoryId };
    if (loaded.event.type === 'FeedbackErased') {
      gone.push(memory);
      for (const row of rows.keys())
        if (row.tenant === memory.tenant && row.memory_id === memory.memory_id) rows.delete(row);
    } else if (loaded.event.type === 'QuestionErased') {
      const { searchId } = loaded.event.data;
      questions.push({ ...memory, search_id: searchId });
      for (const row of rows.keys())
        if (
          row.kind === questionRow &&
          row.tenant === memory.tenant &&
          row.memory_id === memory.memory_id &&
          row.search_id === searchId
        )
          rows.delete(row);
    } else rows.set({ ...memory, ...rowOf(loaded) }, vectors.get(loaded));
  }
  return together(
    remove(tables(judgements.name), memoryKeys, gone),
    ...questions.map(({ tenant, memory_id: id, search_id: search }) =>
      statement(
        `delete from ${tables(judgements.name)}
         where tenant = $1 and memory_id = $2::text::uuid and search_id = $3 and kind = '${questionRow}'`,
        [tenant, id, search ?? null],
      ),
    ),
    insertWithVectors(tables, judgements, [...rows.keys()], 'question', [...rows.values()]),
  );
}

function rowOf({
  event,
  metadata,
  position,
}: LoadedEvent<FeedbackEvent>): Omit<JudgementRow, 'tenant' | 'memory_id'> {
  const row = { position, principal: principalOf(metadata) };
  if (event.type === 'FeedbackGiven') {
    const { kind, score, searchId, isAuthoritative: authoritative } = event.data;
    return { ...row, kind, score, search_id: searchId, authoritative };
  }
  return {
    ...row,
    kind: questionRow,
    score: 0,
    authoritative: false,
    search_id: event.type === 'QuestionJudged' ? event.data.searchId : undefined,
  };
}

/** Who judges: an agent that acts for several users judges once for each. */
function principalOf({ actor, onBehalfOf }: LoadedEvent['metadata']): string {
  return onBehalfOf === undefined ? actor : JSON.stringify([actor, onBehalfOf]);
}
