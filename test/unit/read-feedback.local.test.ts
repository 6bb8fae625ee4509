import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import { feedback } from '../../src/projections/feedback/feedback.ts';
import { ensureLive } from '../../src/projections/generations.ts';
import type { Projection } from '../../src/projections/projection.ts';
import { ReadModels } from '../../src/queries/read-models.ts';
import { readFeedback } from '../../src/queries/search/read-feedback.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';
import { soleEmbedder } from '../support/sole-embedder.ts';

const embedder = deterministicEmbedder({ dimension: 16 });
const tenant = 'acme';

let test: TestStore;
let memory: string;

beforeAll(async () => {
  test = await openTestStore();
  await ensureLive(test.sql, feedback(soleEmbedder(embedder)) as Projection);
});

beforeEach(() => {
  memory = newId();
});

afterAll(() => test.close());

const vectorOf = async (question: string) => (await embedder.embed([question], 'query'))[0]!;

/** Writes `count` judgements at positions from `from`, each of a search of its own. */
async function judge(
  principal: string,
  kind: string,
  { from, count = 1, question }: { from: number; count?: number; question?: string },
): Promise<void> {
  const searches = Array.from({ length: count }, () => newId());
  const positions = searches.map((_, at) => from + 2 * at);
  const write = (position: number, row: string, question: Float32Array | null) =>
    test.sql.query(
      `insert into read.feedback_g1 (tenant, memory_id, position, kind, principal, score, search_id, question, authoritative)
       select $1, $2, n.position + $3, $4, $5, -1, n.search_id, $6::vector, false
       from unnest($7::bigint[], $8::text[]) as n(position, search_id)`,
      [tenant, memory, position, row, principal, question, positions, searches],
    );
  if (question !== undefined) await write(0, 'question', await vectorOf(question));
  await write(1, kind, null);
}

async function read(question: string, at?: number) {
  const view = await new ReadModels(test.sql, new WakeUp()).view({ projections: ['feedback'] });
  const vector = { vector: await vectorOf(question), model: embedder.model };
  const found = await readFeedback(test.sql, view, { tenant, ids: [memory], vector: vector as never, at });
  return found.get(memory) ?? [];
}

it('[A8] the judgements of one caller do not displace those of another', async () => {
  await judge('ada', 'outdated', { from: 1 });
  await judge('ada', 'helpful', { from: 5, question: 'where is the key?' });
  await judge('bob', 'irrelevant', { from: 100, count: 3_000, question: 'what is for lunch?' });
  await judge('bob', 'duplicate', { from: 10_000, count: 3_000 });
  const judgements = await read('where is the key?');
  const own = judgements.filter(({ principal }) => principal === 'ada');
  expect(own.map(({ kind }) => kind).sort()).toEqual(['helpful', 'outdated']);
  expect(own.find(({ kind }) => kind === 'helpful')!.cosine).toBeCloseTo(1);
  expect(new Set(judgements.map(({ principal }) => principal))).toEqual(new Set(['ada', 'bob']));
});

it('[A8] as of a position the latest judgement of then counts, however many follow', async () => {
  await judge('ada', 'outdated', { from: 1 });
  await judge('ada', 'outdated', { from: 10, count: 2_000 });
  expect((await read('key', 3)).map(({ position }) => position)).toEqual([2]);
  // Of kinds that are about every question the latest alone is needed.
  expect(await read('key')).toHaveLength(1);
});

it('[A8] questions of many judgements are found by an index', async () => {
  await judge('ada', 'irrelevant', { from: 1, count: 5_000, question: 'what is for lunch?' });
  const began = performance.now();
  const judgements = await read('what is for lunch?');
  expect(performance.now() - began).toBeLessThan(2_000);
  expect(judgements.every(({ cosine }) => cosine! > 0.99)).toBe(true);
});
