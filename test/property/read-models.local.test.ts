import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import type { MemoryEvent } from '../../src/domain/memory/events.ts';
import { foldMemory, isLive, type LiveSnapshot } from '../../src/domain/memory/snapshot.ts';
import { foldLinks, noLinks, type LinkEvent } from '../../src/domain/links/links.ts';
import type { FeedbackEvent } from '../../src/domain/retrieval/events.ts';
import { partOf } from '../../src/domain/access/counted-parts.ts';
import { termCounts } from '../../src/domain/text/tokens.ts';
import { isWithheld } from '../../src/domain/trust/trust.ts';
import { fieldValuesOf } from '../../src/domain/routing/field-values.ts';
import { vectorTable } from '../../src/read-models/vectors/tables.ts';
import type { LoadedEvent } from '../../src/ports/event-store.ts';
import { allProjections } from '../../src/projections/all.ts';
import { Generation } from '../../src/projections/generation.ts';
import { ensureLive } from '../../src/projections/generations.ts';
import { assertWithin } from '../support/assert-within.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';
import { HistoryWriter, steps } from '../support/histories.ts';
import { eventsOf, follow, startAfresh } from '../support/read-models.ts';
import { soleEmbedder } from '../support/sole-embedder.ts';

const embedder = deterministicEmbedder({ dimension: 16 });
const projections = allProjections(soleEmbedder(embedder));

let test: TestStore;

beforeAll(async () => {
  test = await openTestStore();
});

afterAll(() => test.close());

/** The state in read models: what waits for a review is out of them, unless it is out anyway. */
const shownAs = ({ status, value }: LiveSnapshot['state']): string =>
  status !== 'deleted' && isWithheld(value) ? 'withheld' : status;

const sorted = <T>(items: readonly T[]): T[] =>
  items.toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1));

/** The events of each stream of a category. */
function streamsOf(events: readonly LoadedEvent[], category: string): LoadedEvent[][] {
  const streams = new Map<string, LoadedEvent[]>();
  for (const event of events) {
    if (event.stream.startsWith(`${category}-`))
      streams.set(event.stream, [...(streams.get(event.stream) ?? []), event]);
  }
  return [...streams.values()];
}

/** All existing memories, folded from their streams. */
function memoriesOf(
  events: readonly LoadedEvent[],
): { tenant: string; versions: number; snapshot: LiveSnapshot }[] {
  return streamsOf(events, 'memory').flatMap((stream) => {
    const snapshot = foldMemory(stream as LoadedEvent<MemoryEvent>[]);
    return isLive(snapshot)
      ? [{ tenant: stream[0]!.metadata.tenant, versions: stream.length, snapshot }]
      : [];
  });
}

async function checks(
  events: readonly LoadedEvent[],
): Promise<Record<string, [actual: unknown[], expected: unknown[]]>> {
  const { sql } = test;
  const memories = memoriesOf(events);
  const texts = memories.map(({ snapshot: { state, revision } }) => ({
    id: state.value.id,
    revision,
    state: shownAs(state),
    content: state.value.content,
  }));
  const vectors = await embedder.embed(
    texts.map(({ content }) => content),
    'passage',
  );
  const sums = new Map<string, number[]>();
  const documents = new Map<string, number>();
  for (const { tenant, snapshot } of memories) {
    const { value } = snapshot.state;
    const status = shownAs(snapshot.state);
    if (status === 'active') documents.set(tenant, (documents.get(tenant) ?? 0) + 1);
    for (const space of ['', ...value.spaces]) {
      const key = [tenant, value.layer, space, status].join(' ');
      const [count = 0, characters = 0] = sums.get(key) ?? [];
      sums.set(key, [count + 1, characters + value.content.length]);
    }
  }
  const ofParts = new Map<string, number>();
  for (const { tenant, snapshot } of memories) {
    const { value } = snapshot.state;
    const status = shownAs(snapshot.state);
    const part = partOf(value);
    for (const counted of status === 'active' ? new Set([part, part === 'shared' ? part : 'personal']) : [])
      for (const term of ['', ...termCounts(value.content).counts.keys()]) {
        const key = [tenant, counted, term].join(' ');
        ofParts.set(key, (ofParts.get(key) ?? 0) + 1);
      }
  }
  const values = new Map<string, number>();
  for (const { tenant, snapshot } of memories) {
    const { value } = snapshot.state;
    const status = shownAs(snapshot.state);
    for (const { field, value: held } of status === 'active' ? fieldValuesOf(value) : []) {
      const key = [tenant, value.layer, field, JSON.stringify(held)].join(' ');
      values.set(key, (values.get(key) ?? 0) + 1);
    }
  }
  const uses = new Map<string, [accesses: number, feedbacks: number]>();
  for (const { event } of events) {
    const ids = event.type === 'MemoriesAccessed' ? event.data.memoryIds : [];
    for (const id of ids) uses.set(id, [(uses.get(id)?.[0] ?? 0) + 1, uses.get(id)?.[1] ?? 0]);
    if (event.type !== 'FeedbackGiven') continue;
    const { memoryId } = event.data;
    uses.set(memoryId, [uses.get(memoryId)?.[0] ?? 0, (uses.get(memoryId)?.[1] ?? 0) + 1]);
  }
  for (const { event } of events) if (event.type === 'MemoryErased') uses.delete(event.data.memoryId);
  const judged = streamsOf(events, 'feedback').flatMap((stream) =>
    stream.at(-1)!.event.type === 'FeedbackErased' ? [] : (stream as LoadedEvent<FeedbackEvent>[]),
  );
  const links = streamsOf(events, 'links').flatMap((stream) => {
    const state = foldLinks(
      noLinks,
      (stream as LoadedEvent<LinkEvent>[]).map(({ event }) => event),
    );
    const { source } = (stream[0]!.event as LinkEvent).data;
    return [...state].map(([key, confidence]) => ({ link: `${source} ${key}`, confidence }));
  });
  return {
    'memories: the value of each': [
      await sql.query(
        'select memory_id as id, revision, state, value from read.memories_g1 where to_position is null',
      ),
      memories.map(({ snapshot: { revision, state } }) => {
        const { id, ...value } = state.value;
        return { id, revision, state: isWithheld(state.value) ? 'withheld' : state.status, value };
      }),
    ],
    'memories: its versions': [
      await sql.query('select memory_id as id, count(*) as versions from read.memories_g1 group by 1'),
      memories.map(({ versions, snapshot }) => ({ id: snapshot.state.value.id, versions })),
    ],
    'lexical: texts': [
      await sql.query('select memory_id as id, body, shelved from read.lexical_g1'),
      texts.map(({ id, state, content }) => ({
        id,
        body: state === 'active' ? content : null,
        shelved: state === 'active' ? null : content,
      })),
    ],
    'lexical: documents': [
      await sql.query('select tenant, documents from read.lexical_corpus_g1 where documents <> 0'),
      [...documents].map(([tenant, count]) => ({ tenant, documents: count })),
    ],
    'lexical: documents and terms of each part': [
      await sql.query(
        `select concat_ws(' ', tenant, part, '') as key, documents from read.lexical_parts_g1
         union all select concat_ws(' ', tenant, part, term), documents from read.lexical_terms_g1`,
      ),
      [...ofParts].map(([key, count]) => ({ key, documents: count })),
    ],
    'vectors: one for each text': [
      (
        await sql.query<{ vector: string }>(
          `select memory_id as id, revision, embedding is not null as active, coalesce(embedding, shelved)::text as vector
           from ${vectorTable(embedder.model.id)}`,
        )
      ).map((row) => ({ ...row, vector: (JSON.parse(row.vector) as number[]).map(Math.fround) })),
      texts.map(({ id, revision, state }, index) => ({
        id,
        revision,
        active: state === 'active',
        vector: [...vectors[index]!],
      })),
    ],
    'statistics: sums': [
      await sql.query(
        `select concat_ws(' ', tenant, layer, space, state) as key, memories, characters from read.statistics_g1 where memories <> 0`,
      ),
      [...sums].map(([key, [count, characters]]) => ({ key, memories: count, characters })),
    ],
    'fields: how many memories have a value': [
      await sql.query(
        `select concat_ws(' ', tenant, layer, field, value) as key, sum(memories)::bigint as memories from read.fields_g1 group by 1`,
      ),
      [...values].map(([key, count]) => ({ key, memories: count })),
    ],
    'usage: how often, of memories that were not erased': [
      await sql.query('select memory_id as id, accesses, feedbacks from read.usage_g1'),
      [...uses].map(([id, [accesses, feedbacks]]) => ({ id, accesses, feedbacks })),
    ],
    'feedback: of memories that were not erased': [
      await sql.query(
        'select memory_id as id, position, kind, score, question is not null as compared from read.feedback_g1',
      ),
      judged.map(({ event, position }) => ({
        id: event.data.memoryId,
        position,
        kind: event.type === 'FeedbackGiven' ? event.data.kind : 'question',
        score: event.type === 'FeedbackGiven' ? event.data.score : 0,
        compared: event.type === 'QuestionJudged',
      })),
    ],
    'links: those that are': [
      await sql.query(
        `select concat_ws(' ', source, type, target) as link, confidence from read.links_g1 where to_position is null`,
      ),
      links,
    ],
    'audit: every event': [
      await sql.query('select position, type from read.audit_g1'),
      events.map(({ position, event }) => ({ position, type: event.type })),
    ],
  };
}

describe('the read models', () => {
  it('contain the result of folding each stream', async () => {
    await assertWithin(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 40 }), async (history, pageSize) => {
        await startAfresh(test);
        const writer = new HistoryWriter(test);
        for (const projection of projections) await ensureLive(test.sql, projection);
        for (const [n, step] of history.entries()) {
          await writer.write(step);
          if (n % 7 !== 6 && n < history.length - 1) continue;
          for (const projection of projections)
            await follow(test, new Generation(test.sql, projection, 1), () => pageSize);
        }
        for (const [what, [actual, expected]] of Object.entries(await checks(await eventsOf(test))))
          expect([what, sorted(actual)]).toEqual([what, sorted(expected)]);
      }),
      { numRuns: 12, limitMs: 12_000 },
    );
  }, 60_000);
});
