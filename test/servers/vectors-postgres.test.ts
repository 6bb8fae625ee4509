import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import { supersededVectorTable, vectorTable } from '../../src/read-models/vectors/tables.ts';
import type { Embedder } from '../../src/ports/embedder.ts';
import type { StreamName } from '../../src/ports/event-log.ts';
import { textHash } from '../../src/support/text-hash.ts';
import { CheckpointMoved } from '../../src/follow/processor.ts';
import { Generation } from '../../src/projections/generation.ts';
import { createBeside, ensureLive } from '../../src/projections/generations.ts';
import type { Projection } from '../../src/projections/projection.ts';
import { RebuildCoordinator } from '../../src/projections/rebuild-coordinator.ts';
import { vectors } from '../../src/projections/vectors/vectors.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';
import { storeTestMemory, testContext, updateTestMemory, type TestStore } from '../support/event-store.ts';
import { failing } from '../support/faulty-sql.ts';
import { dividedInto, followAll } from '../support/partitions.ts';
import { openServerStore } from '../support/projector.ts';
import { soleEmbedder } from '../support/sole-embedder.ts';

const partitioning = dividedInto(3);
const table = vectorTable('deterministic-words-16');
const supersededTable = supersededVectorTable('deterministic-words-16');

describe.runIf(process.env['STRATALOG_POSTGRES_URL'] !== undefined)('vectors on a server', () => {
  let database: FreshDatabase;
  let test: TestStore;
  let embedder: Embedder;
  let embedded: number;
  /** Runs before texts are embedded. */
  let onEmbed: () => Promise<void>;
  let projection: Projection;
  let live: Generation;

  beforeEach(async () => {
    database = await freshDatabase();
    test = await openServerStore(database.url);
    const inner = deterministicEmbedder({ dimension: 16 });
    [embedded, onEmbed] = [0, async () => {}];
    embedder = {
      ...inner,
      async embed(texts, purpose) {
        if (texts.length > 0) await onEmbed();
        embedded += texts.length;
        return inner.embed(texts, purpose);
      },
    };
    projection = vectors(soleEmbedder(embedder)) as Projection;
    await ensureLive(test.sql, projection, partitioning);
    live = generation();
  });

  afterEach(async () => {
    await test.close();
    await database.drop();
  });

  /** The generation as another process opens it. */
  const generation = () => new Generation(test.sql, projection, 1, partitioning);
  const kept = () =>
    test.sql.query<{ memory_id: string; revision: number; active: boolean }>(
      `select memory_id, revision, embedding is not null as active from ${table} order by memory_id`,
    );
  const superseded = async () => {
    const rows = await test.sql.query<{ memory_id: string; text_hash: string }>(
      `select memory_id, text_hash from ${supersededTable} order by memory_id, text_hash`,
    );
    return rows.map(({ memory_id, text_hash }) => [memory_id, text_hash]);
  };
  const pageOfAll = () => test.store.readAll({ after: 0, limit: 1_000 });
  async function applyAll(to: Generation): Promise<PromiseSettledResult<unknown>[]> {
    const page = await pageOfAll();
    const states = await Promise.all(partitions.map((partition) => to.checkpoint([partition])));
    return Promise.allSettled(states.map((state) => to.apply(page, state)));
  }
  const partitions = partitioning.partitionsOf(
    vectors(soleEmbedder(deterministicEmbedder({ dimension: 16 }))) as Projection,
  );

  async function expectEqualRebuild(): Promise<void> {
    const beside = await createBeside(test.sql, projection, partitioning);
    const walk = new RebuildCoordinator(test.sql, test.store, new AbortController().signal);
    const { digest, liveDigest } = await walk.fill(beside);
    expect(digest).toBe(liveDigest);
    // Every row has the vector of its text. The digest contains `false` for rows with another vector, or none.
    const [row] = await test.sql.query<{ wrong: number }>(
      `select count(*) as wrong from read.vectors_g1 v left join ${table} k using (tenant, memory_id)
       where (k.text_hash = v.text_hash and (k.embedding is not null) = v.active) is not true`,
    );
    expect(row).toEqual({ wrong: 0 });
  }

  it('[G3] equal those of a rebuild after stores, updates, deletions and restorations', async () => {
    for (let n = 0; n < 40; n++) {
      const { stream, value } = await storeTestMemory(test, { content: `text ${n}` });
      if (n % 3 === 0) await updateTestMemory(test, stream, `another text ${n}`);
      if (n % 4 !== 0) continue;
      const change = (type: 'MemoryDeleted' | 'MemoryRestored') =>
        test.store.append(
          stream,
          'exists',
          [
            type === 'MemoryDeleted'
              ? { type, data: { memoryId: value.id, retentionUntil: '2030-01-01T00:00:00Z' } }
              : { type, data: { memoryId: value.id } },
          ],
          testContext(),
        );
      await change('MemoryDeleted');
      if (n % 8 === 0) await change('MemoryRestored');
    }
    expect((await applyAll(live)).map(({ status }) => status)).toEqual(partitions.map(() => 'fulfilled'));
    expect(await kept()).toHaveLength(40);
    await expectEqualRebuild();
  });

  it('[A5] are moved into the index by concurrent partitions, some while their texts change', async () => {
    projection = vectors(soleEmbedder(embedder), embedder.model, 20) as Projection;
    live = generation();
    const streams: StreamName[] = [];
    for (let n = 0; n < 30; n++) streams.push((await storeTestMemory(test, { content: `text ${n}` })).stream);
    await followAll(test, live);
    for (const [n, stream] of streams.entries()) {
      await updateTestMemory(test, stream, `another text ${n}`);
      await storeTestMemory(test, { content: `text ${n + 30}` });
    }
    expect((await applyAll(live)).map(({ status }) => status)).toEqual(partitions.map(() => 'fulfilled'));
    expect(await test.sql.query(`select in_graph, count(*) from ${table} group by 1`)).toEqual([
      { in_graph: true, count: 60 },
    ]);
    await expectEqualRebuild();
  });

  it('[G3] that were written before a failed move of the checkpoint are neither embedded nor written again', async () => {
    for (let n = 0; n < 10; n++) await storeTestMemory(test, { content: `text ${n}` });
    test.sql.fault = failing('update follow.checkpoints', 'before');
    const outcomes = await applyAll(live);
    expect(outcomes.map(({ status }) => status)).toEqual(partitions.map(() => 'rejected'));
    expect(await kept()).toHaveLength(10);
    expect(await test.sql.query('select 1 from read.vectors_g1')).toEqual([]);
    await followAll(test, live);
    expect(embedded).toBe(10);
    await expectEqualRebuild();
  });

  it('[F6] of a memory that was erased meanwhile are not written by a process that another one has overtaken', async () => {
    const { stream, value, key } = await storeTestMemory(test, { content: 'to be erased' });
    const partition = partitioning.partitionOf(stream);
    const page = await pageOfAll();
    const zombie = generation();
    const state = await zombie.checkpoint([partition]);
    onEmbed = async () => {
      onEmbed = async () => {};
      await followAll(test, live);
      const erased = { type: 'MemoryErased', data: { memoryId: value.id, keyId: key.id } } as const;
      await test.store.append(stream, 'exists', [erased], testContext());
      await test.vault.destroy(key.tenant, key.id);
      await followAll(test, live);
    };
    await expect(zombie.apply(page, state)).rejects.toBeInstanceOf(CheckpointMoved);
    expect(await kept()).toEqual([]);
  });

  it('[A5] of replaced texts are kept aside once, and are removed with the memory', async () => {
    const [first, other] = [
      await storeTestMemory(test, { content: 'one' }),
      await storeTestMemory(test, { content: 'another' }),
    ];
    await followAll(test, live);
    // Each text is projected before the next one, because a text that is replaced within a batch gets no vector.
    for (const content of ['two', 'three', 'two']) {
      await updateTestMemory(test, first.stream, content);
      await followAll(test, live);
    }
    await updateTestMemory(test, other.stream, 'still another');
    await followAll(test, live);
    const aside = (id: string, texts: readonly string[]) => texts.map((text) => [id, textHash(text)]).sort();
    const ofOther = aside(other.value.id, ['another']);
    expect(await superseded()).toEqual(
      [...aside(first.value.id, ['one', 'two', 'three']), ...ofOther].sort(),
    );
    await expectEqualRebuild();
    const { id, tenant } = first.key;
    const erased = { type: 'MemoryErased', data: { memoryId: first.value.id, keyId: id } } as const;
    await test.store.append(first.stream, 'exists', [erased], testContext());
    await test.vault.destroy(tenant, id);
    await followAll(test, live);
    expect(await superseded()).toEqual(ofOther);
    await expectEqualRebuild();
    expect(await superseded()).toEqual(ofOther);
  });
});
