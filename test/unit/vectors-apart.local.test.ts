import { afterEach, beforeEach, expect, it } from 'vitest';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import { passageVectorTable, vectorTable } from '../../src/read-models/vectors/tables.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import { Generation } from '../../src/projections/generation.ts';
import { createBeside, ensureLive } from '../../src/projections/generations.ts';
import { lexical } from '../../src/projections/lexical/lexical.ts';
import { memories } from '../../src/projections/memories/memories.ts';
import type { Projection } from '../../src/projections/projection.ts';
import { RebuildCoordinator } from '../../src/projections/rebuild-coordinator.ts';
import { vectors } from '../../src/projections/vectors/vectors.ts';
import { ReadModels } from '../../src/queries/read-models.ts';
import type { Hit } from '../../src/queries/search/sources/candidate-source.ts';
import { ExactVectorSource } from '../../src/queries/search/sources/exact-vectors.ts';
import { HnswSource } from '../../src/queries/search/sources/hnsw-index.ts';
import { PlannerSettings } from '../../src/queries/search/sources/planner-settings.ts';
import { openTestStore, storeTestMemory, updateTestMemory, type TestStore } from '../support/event-store.ts';
import { follow } from '../support/read-models.ts';
import { soleEmbedder } from '../support/sole-embedder.ts';

const mostApart = 20;
const embedder = deterministicEmbedder({ dimension: 16 });
const table = vectorTable(embedder.model.id);
const words = ['green', 'black', 'white', 'herbal', 'strong', 'weak', 'hot', 'iced', 'sweet', 'plain'];

let test: TestStore;
let generations: readonly Generation[];
let count: number;

beforeEach(async () => {
  test = await openTestStore();
  count = 0;
  const embedders = soleEmbedder(embedder);
  const projections = [memories, lexical(), vectors(embedders, embedder.model, mostApart)] as Projection[];
  for (const projection of projections) await ensureLive(test.sql, projection);
  generations = projections.map((projection) => new Generation(test.sql, projection, 1));
});

afterEach(() => test.close());

async function catchUp(): Promise<void> {
  for (const generation of generations) await follow(test, generation, () => 8);
}

async function storeMore(more: number): Promise<void> {
  for (const end = count + more; count < end; count++) {
    const content = `${words[count % 10]!} tea with ${words[(count * 7 + 3) % 10]!} cups ${count}`;
    await storeTestMemory(test, { content });
  }
  await catchUp();
}

async function state(of = table): Promise<{ readonly apart: number; readonly inGraph: number }> {
  const [row] = await test.sql.query<{ apart: number; in_graph: number }>(
    `select (count(*) filter (where not in_graph))::integer as apart, (count(*) filter (where in_graph))::integer as in_graph from ${of}`,
  );
  return { apart: row!.apart, inGraph: row!.in_graph };
}

/** The five nearest, found with the index as in a large tenant or by comparing all vectors. */
async function nearest(text: string, exact: boolean): Promise<readonly number[]> {
  const [vector] = await embedder.embed([text], 'query');
  const names = generations.map(({ projection }) => projection.name);
  const view = await new ReadModels(test.sql, new WakeUp()).view({ projections: names });
  const found = await test.sql.transaction<readonly Hit[]>(
    (tx) => {
      const context = { tx, view, planner: new PlannerSettings(tx) };
      const source = exact ? new ExactVectorSource(context) : new HnswSource(context);
      const query = {
        region: { tenant: 'acme', visibility: 'all' as const },
        text: '',
        weighted: { terms: [], weights: [], mass: 0 },
        dense: { vector: vector!, table },
        times: { months: [], periods: [] },
      };
      return source.find(query, 5);
    },
    { tenant: 'acme', readOnly: true },
  );
  // Compare cosines only, because it does not matter which of several equal texts is found.
  return found.map(({ cosine }) => Math.round(cosine! * 1e5)).sort((left, right) => right - left);
}

async function expectAllFound(): Promise<void> {
  for (const text of ['green tea', 'iced cups', 'strong tea with hot cups'])
    expect(await nearest(text, false)).toEqual(await nearest(text, true));
}

it('[A5] vectors of a tenant with few memories are kept outside the index, and are found', async () => {
  await storeMore(mostApart);
  expect(await state()).toEqual({ apart: mostApart, inGraph: 0 });
  await expectAllFound();
});

it('[A5] vectors are moved into the index while a tenant grows, and none is missed meanwhile', async () => {
  await storeMore(mostApart + 8);
  expect((await state()).inGraph).toBeGreaterThan(0);
  expect((await state()).apart).toBeGreaterThan(0);
  await expectAllFound();
  await storeMore(mostApart + 8);
  expect(await state()).toEqual({ apart: 0, inGraph: count });
  await expectAllFound();
});

it('[A5] vectors of changed texts are found by the new text, inside and outside the index', async () => {
  await storeMore(mostApart + 8);
  const page = await test.store.readAll({ after: 0, limit: 1_000 });
  // One vector outside the index and one in it.
  for (const { stream } of [page.events.at(10)!, page.events.at(-1)!])
    await updateTestMemory(test, stream, 'a kettle of copper');
  await catchUp();
  expect((await state()).apart).toBeGreaterThan(0);
  const found = await nearest('a kettle of copper', false);
  expect(found.slice(0, 2)).toEqual([1e5, 1e5]);
  expect(found).toEqual(await nearest('a kettle of copper', true));
});

it('[F4] a rebuild has the same vectors, inside and outside the index', async () => {
  await storeMore(mostApart + 8);
  const before = await state();
  const beside = await createBeside(test.sql, generations[2]!.projection);
  const walk = new RebuildCoordinator(test.sql, test.store, new AbortController().signal);
  const { digest, liveDigest } = await walk.fill(beside);
  expect(digest).toBe(liveDigest);
  expect(await state()).toEqual(before);
});

it('[A5] passages that were kept outside the index are added to it once the tenant has more', async () => {
  const passages = passageVectorTable(embedder.model.id);
  const storeLong = async () => {
    const content = Array.from(
      { length: 120 },
      (_, n) => `Cup ${n} of tea ${count} was served at table ${n}.`,
    );
    count++;
    await storeTestMemory(test, { content: content.join('\n\n') });
    await catchUp();
  };
  await storeLong();
  const { apart } = await state(passages);
  expect(apart).toBeGreaterThan(5);
  for (let stored = apart; stored <= 3 * mostApart + apart; stored += apart) await storeLong();
  expect(await state(passages)).toMatchObject({ apart: 0 });
});
