import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import { ModelRegistry } from '../../src/adapters/embedding/model-registry.ts';
import { MeteredEmbedders } from '../../src/commands/ledger/metered-embedders.ts';
import type { TokenAllowances } from '../../src/commands/ledger/token-allowances.ts';
import { noSpaces } from '../../src/domain/spaces/spaces.ts';
import { TextRefused, type Embedder } from '../../src/ports/embedder.ts';
import { Generation } from '../../src/projections/generation.ts';
import { ensureLive } from '../../src/projections/generations.ts';
import { memories } from '../../src/projections/memories/memories.ts';
import type { Projection } from '../../src/projections/projection.ts';
import { TextBacklog } from '../../src/projections/vectors/text-backlog.ts';
import { vectors } from '../../src/projections/vectors/vectors.ts';
import { vectorTable } from '../../src/read-models/vectors/tables.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import { openTestStore, storeTestMemory, type TestStore } from '../support/event-store.ts';
import { follow } from '../support/read-models.ts';

let test: TestStore;
beforeAll(async () => {
  test = await openTestStore();
});
afterAll(() => test.close());

it('[E7] embeds what had to wait for a budget, and a text that the model refuses keeps no other waiting', async () => {
  const words = deterministicEmbedder({ dimension: 16 });
  const { id, dimension } = words.model;
  const requests: string[] = [];
  const embedder: Embedder = {
    ...words,
    embed(texts, purpose) {
      requests.push(...texts);
      const isRefused = texts.some((text) => text.includes('refused'));
      return isRefused ? Promise.reject(new TextRefused('too odd')) : words.embed(texts, purpose);
    },
  };
  let hasBudget = false;
  const allowances = { take: async () => (hasBudget ? () => undefined : undefined) };
  const embedders = new MeteredEmbedders(
    new ModelRegistry([{ id, name: id, dimension, endpointModel: 'm', open: async () => embedder }], id),
    allowances as unknown as TokenAllowances,
    async () => noSpaces,
    { name: 'o200k_base', counter: async () => countTokens },
    () => undefined,
  );
  const projections = [memories, vectors(embedders) as Projection];
  for (const projection of projections) await ensureLive(test.sql, projection);
  const first = await storeTestMemory(test, { content: 'a refused text' });
  const second = await storeTestMemory(test, { content: 'an accepted text' });
  for (const projection of projections)
    await follow(test, new Generation(test.sql, projection, 1), () => 100);
  const embedded = () =>
    test.sql.query(`select memory_id from ${vectorTable(id)} where embedding is not null`);
  expect(await embedded()).toEqual([]);

  hasBudget = true;
  const errors: unknown[] = [];
  const leases = {
    hold: () => Promise.resolve(1),
    holders: () => Promise.resolve(new Map()),
    release: () => Promise.resolve(),
  };
  const onError = (error: unknown) => errors.push(error);
  const backlog = new TextBacklog({ sql: test.sql, embedders, leases, waiting: new WakeUp(), onError });
  await backlog.once();
  expect(await embedded()).toEqual([{ memory_id: second.value.id }]);
  expect(errors).toMatchObject([{ name: 'TextRefused' }]);
  const asked = requests.length;
  await backlog.once();
  expect(requests.slice(asked)).toEqual([]);
  expect(first.value.id < second.value.id).toBe(true);
});
