import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import { ModelRegistry } from '../../src/adapters/embedding/model-registry.ts';
import { memoryStream } from '../../src/domain/streams.ts';
import { TextRefused, type Embedder, type Outcome } from '../../src/ports/embedder.ts';
import type { StreamName } from '../../src/ports/event-log.ts';
import { Generation } from '../../src/projections/generation.ts';
import { createBeside, ensureLive } from '../../src/projections/generations.ts';
import { memories } from '../../src/projections/memories/memories.ts';
import type { Projection } from '../../src/projections/projection.ts';
import { ParkedTexts } from '../../src/projections/vectors/parked-texts.ts';
import { TextBacklog } from '../../src/projections/vectors/text-backlog.ts';
import { vectors } from '../../src/projections/vectors/vectors.ts';
import { refusedTextTable, vectorTable } from '../../src/read-models/vectors/tables.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import {
  openTestStore,
  storeTestMemory,
  testContext,
  updateTestMemory,
  type TestStore,
} from '../support/event-store.ts';
import { follow, startAfresh } from '../support/read-models.ts';

const words = deterministicEmbedder({ dimension: 16 });
const { id } = words.model;
const retentionUntil = '2100-01-01T00:00:00.000Z';

let test: TestStore;
/** Texts with this word are refused. */
let poison: RegExp | undefined;
/** All texts that were to be embedded. */
let asked: string[];
let projections: readonly Projection[];
let parked: ParkedTexts;
let retryDue: () => Promise<boolean>;

beforeAll(async () => {
  test = await openTestStore();
});
afterAll(() => test.close());
beforeEach(async () => {
  await startAfresh(test);
  [poison, asked] = [/poison/, []];
  useEndpoint('http://one/v1');
  for (const projection of projections) await ensureLive(test.sql, projection);
});

const embedder: Embedder = {
  ...words,
  async embed(texts, purpose) {
    asked.push(...texts);
    const made = await words.embed(texts, purpose);
    const outcomes = texts.map((text, n): Outcome =>
      poison?.test(text) ? new TextRefused('answered 500') : made[n]!,
    );
    if (outcomes.some((outcome) => outcome instanceof TextRefused)) throw new TextRefused('some', outcomes);
    return made;
  },
};

/** Opens everything as a process does that is configured for this endpoint. */
function useEndpoint(endpoint: string): void {
  const model = { id, name: id, dimension: 16, endpointModel: 'm', endpoint, open: async () => embedder };
  const embedders = new ModelRegistry([model], id);
  projections = [memories, vectors(embedders) as Projection];
  parked = new ParkedTexts(test.sql, embedders);
  const leases = {
    hold: () => Promise.resolve(1),
    holders: () => Promise.resolve(new Map()),
    release: () => Promise.resolve(),
  };
  const { sql } = test;
  retryDue = () =>
    new TextBacklog({ sql, embedders, leases, waiting: new WakeUp(), onError: () => undefined }).once();
}

async function followAll(number = 1): Promise<void> {
  for (const projection of projections)
    await follow(
      test,
      new Generation(test.sql, projection, projection.name === 'vectors' ? number : 1),
      () => 100,
    );
}

const withVector = async () =>
  (
    await test.sql.query<{ memory_id: string }>(
      `select memory_id from ${vectorTable(id)} where embedding is not null order by memory_id`,
    )
  ).map((row) => row.memory_id);
const makeDue = () => test.sql.query(`update ${refusedTextTable} set due_at = now()`);
const stored = async (...contents: string[]) => {
  const made = [];
  for (const content of contents) made.push(await storeTestMemory(test, { content }));
  return made;
};
const append = async (stream: StreamName, event: Parameters<TestStore['store']['append']>[2][0]) =>
  test.store.append(stream, 'exists', [event], testContext());

it('[H4] a refused text stops nothing but itself, and is listed with the reason', async () => {
  const [before, poisoned, after] = await stored('one', 'poison note', 'three');
  await followAll();
  expect(await withVector()).toEqual([before!.value.id, after!.value.id]);
  const [vectorsOf] = await new Generation(test.sql, projections[1]!, 1).checkpoints.states(['log']);
  expect(vectorsOf).toMatchObject({ position: await test.log.head(), parked: new Set() });
  const { stream } = poisoned!;
  const [{ position } = expect.unreachable()] = await test.store.load(stream);
  expect(await parked.list()).toEqual([
    { generation: 1, stream, position, type: 'MemoryStored', error: 'answered 500' },
  ]);
  expect(await parked.at(stream)).toMatchObject({ revision: 0 });
  expect(await parked.at(before!.stream)).toBeUndefined();
});

it('[H4] it is tried again by itself, later after each failure, and at once if the endpoint changes', async () => {
  const [poisoned] = await stored('poison note');
  await followAll();
  const tried = async (retry: () => Promise<unknown> = retryDue) => {
    asked = [];
    await retry();
    return asked.length;
  };
  const pauseS = async () => {
    const [row] = await test.sql.query<{ pause: number }>(
      `select extract(epoch from due_at - now())::float8 as pause from ${refusedTextTable}`,
    );
    return Math.round(row!.pause);
  };
  expect(await tried()).toBe(0);
  const pauses = [await pauseS()];
  for (let n = 0; n < 9; n++) {
    await makeDue();
    expect(await tried()).toBe(1);
    pauses.push(await pauseS());
  }
  expect(pauses).toEqual([15, 30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
  expect(await tried()).toBe(0);

  useEndpoint('http://two/v1');
  expect(await tried()).toBe(1);
  expect(await tried()).toBe(0);
  poison = undefined;
  useEndpoint('http://three/v1');
  expect(await tried()).toBe(1);
  expect(await withVector()).toEqual([poisoned!.value.id]);
  expect(await parked.list()).toEqual([]);
  expect(await test.sql.query(`select 1 from ${refusedTextTable}`)).toEqual([]);
});

it('[H4] an operator has it tried at once, or gives it up', async () => {
  const [poisoned, other] = await stored('poison note', 'another poison');
  await followAll();
  const { stream } = poisoned!;
  await expect(parked.retry(stream)).rejects.toMatchObject({ code: 'still-parked' });
  poison = /another/;
  await parked.retry(stream);
  expect(await withVector()).toEqual([poisoned!.value.id]);
  await parked.skip(other!.stream, 0);
  expect(await parked.list()).toEqual([]);
  await makeDue();
  asked = [];
  await retryDue();
  expect(asked).toEqual([]);
  // Another text of the memory is another matter.
  await updateTestMemory(test, other!.stream, 'still another');
  await followAll();
  expect(await parked.list()).toMatchObject([{ stream: other!.stream, type: 'MemoryUpdated' }]);
});

it.each<[string, (stream: StreamName, memoryId: string) => Promise<unknown>]>([
  ['another text', (stream) => updateTestMemory(test, stream, 'harmless')],
  [
    'a deletion',
    (stream, memoryId) => append(stream, { type: 'MemoryDeleted', data: { memoryId, retentionUntil } }),
  ],
  [
    'an erasure',
    (stream, memoryId) => append(stream, { type: 'MemoryErased', data: { memoryId, keyId: 'k' } }),
  ],
])('[H4] %s ends it', async (_, end) => {
  const [poisoned] = await stored('poison note');
  await followAll();
  expect(await parked.list()).toHaveLength(1);
  await end(poisoned!.stream, poisoned!.value.id);
  await followAll();
  expect(await parked.list()).toEqual([]);
  await makeDue();
  asked = [];
  await retryDue();
  expect(asked).toEqual([]);
});

it('[H4] a memory that is restored is parked again, and an erased one leaves no row', async () => {
  const [poisoned] = await stored('poison note');
  const { stream, value } = poisoned!;
  expect(stream).toBe(memoryStream('acme', value.id));
  await append(stream, { type: 'MemoryDeleted', data: { memoryId: value.id, retentionUntil } });
  await followAll();
  expect(await parked.list()).toEqual([]);
  await append(stream, { type: 'MemoryRestored', data: { memoryId: value.id } });
  await followAll();
  expect(await parked.list()).toHaveLength(1);
  await append(stream, {
    type: 'MemoryErased',
    data: { memoryId: value.id, keyId: 'k', legalHold: false },
  } as never);
  await followAll();
  expect(await test.sql.query(`select 1 from ${refusedTextTable}`)).toEqual([]);
});

it('[F5] [H4] a rebuild neither tries it again nor forgets it', async () => {
  await stored('one', 'poison note');
  await followAll();
  const projection = projections[1]!;
  await createBeside(test.sql, projection);
  asked = [];
  await followAll(2);
  expect(asked).toEqual([]);
  expect((await parked.list()).map(({ generation }) => generation)).toEqual([1, 2]);
  const [live, fresh] = [1, 2].map((number) => new Generation(test.sql, projection, number));
  expect(await fresh!.digest()).toBe(await live!.digest());
  poison = undefined;
  await makeDue();
  await retryDue();
  expect(await parked.list()).toEqual([]);
  expect(await withVector()).toHaveLength(2);
  expect(await fresh!.digest()).toBe(await live!.digest());
});
