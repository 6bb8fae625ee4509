import { afterEach, beforeEach, expect, it } from 'vitest';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import { vectorTable } from '../../src/read-models/vectors/tables.ts';
import type { EventStore } from '../../src/ports/event-store.ts';
import { Generation } from '../../src/projections/generation.ts';
import { dropGeneration, failBuilding } from '../../src/projections/drop-generation.ts';
import { createBeside, ensureLive } from '../../src/projections/generations.ts';
import type { Projection } from '../../src/projections/projection.ts';
import { RebuildCoordinator } from '../../src/projections/rebuild-coordinator.ts';
import { vectors } from '../../src/projections/vectors/vectors.ts';
import { openTestStore, storeTestMemory, testContext, type TestStore } from '../support/event-store.ts';
import { follow } from '../support/read-models.ts';
import { soleEmbedder } from '../support/sole-embedder.ts';

const embedder = deterministicEmbedder({ dimension: 16 });
const projection = vectors(soleEmbedder(embedder)) as Projection;

let test: TestStore;

beforeEach(async () => {
  test = await openTestStore();
});

afterEach(() => test.close());

async function kept(): Promise<unknown[]> {
  const table = vectorTable(embedder.model.id);
  const rows = await test.sql.query<{ memory_id: string }>(`select memory_id from ${table}`);
  return rows.map(({ memory_id }) => memory_id);
}

it('[F6] [G5] a failed rebuild with another model leaves none of its vectors', async () => {
  const other = deterministicEmbedder({ dimension: 32 });
  await ensureLive(test.sql, projection);
  await storeTestMemory(test, { content: 'my secret' });
  const beside = await createBeside(test.sql, vectors(soleEmbedder(other)) as Projection);
  await follow(test, beside, () => 100);
  const tablesOfOther = () =>
    test.sql.query(`select tablename from pg_tables where schemaname || '.' || tablename = $1`, [
      vectorTable(other.model.id),
    ]);
  expect(await tablesOfOther()).toHaveLength(1);
  await failBuilding(test.sql, beside.projection, beside.number, 'given up');
  expect(await tablesOfOther()).toEqual([]);
  expect(await kept()).toEqual([]);
});

/** A store that reads its first page at once and returns it later, and that never returns its third page. */
function reading(): {
  readonly store: EventStore;
  readonly read: Promise<void>;
  readonly handOver: () => void;
} {
  let read!: () => void;
  let handOver!: () => void;
  const isRead = new Promise<void>((resolve) => (read = resolve));
  const handedOver = new Promise<void>((resolve) => (handOver = resolve));
  let pages = 0;
  const readAll: EventStore['readAll'] = async (options) => {
    const page = await test.store.readAll({ ...options, limit: 1 });
    pages += 1;
    if (pages === 1) {
      read();
      await handedOver;
    }
    return pages > 2 ? new Promise(() => {}) : page;
  };
  const store = { log: test.store.log, readAll } as EventStore;
  return { store, read: isRead, handOver };
}

it.each([
  ['is ended', (number: number) => dropGeneration(test.sql, projection, number)],
  ['fails', (number: number) => failBuilding(test.sql, projection, number, 'given up')],
])('[F6] a rebuild that %s leaves no vector of a memory that was erased meanwhile', async (_, giveUp) => {
  await ensureLive(test.sql, projection);
  const live = new Generation(test.sql, projection, 1);
  const { value, stream, key } = await storeTestMemory(test, { content: 'my secret' });
  const tea = await storeTestMemory(test, { content: 'green tea' });
  await follow(test, live, () => 100);
  const beside = await createBeside(test.sql, projection);
  const { store, read, handOver } = reading();
  const walk = new RebuildCoordinator(test.sql, store, new AbortController().signal);
  walk.fill(beside).catch(() => undefined);
  await read;
  const erased = { type: 'MemoryErased' as const, data: { memoryId: value.id, keyId: key.id } };
  await test.store.append(stream, 'exists', [erased as never], testContext());
  await test.vault.destroy(key.tenant, key.id);
  await follow(test, live, () => 100);
  expect(await kept()).toEqual([tea.value.id]);

  handOver();
  await expect.poll(async () => (await beside.checkpoint()).position).toBeGreaterThanOrEqual(1);
  walk.end(beside, new Error('given up'));
  await giveUp(beside.number);
  expect(await kept()).toEqual([tea.value.id]);
});
