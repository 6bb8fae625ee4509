import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import { ModelRegistry, type ModelEntry } from '../../src/adapters/embedding/model-registry.ts';
import { openSqlLeases } from '../../src/adapters/sql/leases.ts';
import { vectorTable } from '../../src/read-models/vectors/tables.ts';
import { EmbedderUnavailable } from '../../src/ports/embedder.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import { Generation } from '../../src/projections/generation.ts';
import { dropGeneration } from '../../src/projections/drop-generation.ts';
import { createBeside, ensureLive } from '../../src/projections/generations.ts';
import { ProjectionOperations } from '../../src/projections/operations.ts';
import type { ShadowComparison, ShadowRequest } from '../../src/projections/shadow.ts';
import { ProjectionRunner } from '../../src/projections/runner.ts';
import type { Projection } from '../../src/projections/projection.ts';
import { beginRebuild } from '../../src/projections/rebuild.ts';
import { undivided } from '../../src/follow/partitions.ts';
import { ModelUpkeep } from '../../src/projections/vectors/model-upkeep.ts';
import { vectors } from '../../src/projections/vectors/vectors.ts';
import {
  openTestStore,
  storeTestMemory,
  testContext,
  updateTestMemory,
  type TestStore,
} from '../support/event-store.ts';
import { follow, startAfresh } from '../support/read-models.ts';

const old = 'deterministic-words-16';
const fresh = 'deterministic-words-32';

let test: TestStore;
let embedded: string[];
let open: Set<string>;
let registry: ModelRegistry;

beforeAll(async () => {
  test = await openTestStore();
});

afterAll(() => test.close());

beforeEach(async () => {
  await startAfresh(test);
  embedded = [];
  open = new Set();
  registry = new ModelRegistry([16, 32].map(entryOf), old);
});

function entryOf(dimension: number): ModelEntry {
  const embedder = deterministicEmbedder({ dimension });
  const { id } = embedder.model;
  return {
    id,
    name: id,
    dimension,
    async open() {
      open.add(id);
      return {
        model: embedder.model,
        embed(texts, purpose) {
          embedded.push(...texts.map((text) => `${id}: ${text}`));
          return embedder.embed(texts, purpose);
        },
        async close() {
          open.delete(id);
        },
      };
    },
  };
}

const of = (model: string): Projection => {
  const projection = vectors(registry).inVariant?.(model);
  if (!projection) throw new Error(`no vectors of ${model}`);
  return projection;
};

async function live(): Promise<Generation> {
  await ensureLive(test.sql, of(old));
  return new Generation(test.sql, of(old), 1);
}

/** The ids in the table of a model; undefined if there is no table. */
async function kept(model: string): Promise<string[] | undefined> {
  const table = vectorTable(model);
  const [row] = await test.sql.query<{ oid: string | null }>('select to_regclass($1)::text as oid', [table]);
  if (!row?.oid) return undefined;
  const rows = await test.sql.query<{ memory_id: string }>(
    `select memory_id from ${table} order by memory_id`,
  );
  return rows.map(({ memory_id }) => memory_id);
}

const everything = () => 100;

/** Applies new events like a rebuild. */
async function take(generation: Generation): Promise<void> {
  const state = await generation.checkpoint();
  const page = await test.store.readAll({ after: state.position, limit: 1_000 });
  await generation.apply(page, state, { rebuild: true });
}

/** The number of statements of this kind that write vectors of the fresh model during `body`. */
async function countOf(kind: 'insert into' | 'update', body: () => Promise<void>): Promise<number> {
  let count = 0;
  test.sql.fault = (statement) => {
    if (statement.includes(`${kind} ${vectorTable(fresh)} `)) count++;
    return undefined;
  };
  await body();
  test.sql.fault = () => undefined;
  return count;
}

describe('vectors of two models', () => {
  it('[F5] are each made by their own model and not mixed', async () => {
    const { value } = await storeTestMemory(test, { content: 'one' });
    const generations = [await live(), await createBeside(test.sql, of(fresh))];
    for (const generation of generations) await follow(test, generation, everything);
    expect(embedded).toEqual([`${old}: one`, `${fresh}: one`]);
    expect(await kept(old)).toEqual([value.id]);
    expect(await kept(fresh)).toEqual([value.id]);
    expect(vectorTable(old)).not.toBe(vectorTable(fresh));
  });

  it('[F5] of a rebuild are written in small batches, so that it does not block others', async () => {
    await live();
    const first = await createBeside(test.sql, of(fresh));
    const stored: Awaited<ReturnType<typeof storeTestMemory>>[] = [];
    for (let n = 0; n < 40; n++) stored.push(await storeTestMemory(test, { content: `memory ${n}` }));
    const insertions = await countOf('insert into', () => take(first));
    expect(await kept(fresh)).toHaveLength(40);
    expect(insertions).toBe(5);
    for (const { value, stream } of stored) await updateTestMemory(test, stream, `${value.content}, changed`);
    const changes = await countOf('update', () => take(first));
    // Plus one that finds nothing left to do.
    expect(changes).toBe(5 + 1);
    const rows = await test.sql.query(`select 1 from ${vectorTable(fresh)} where revision = 1`);
    expect(rows).toHaveLength(40);
  });

  it('[F6] of an erased memory are removed for both models', async () => {
    const generations = [await live(), await createBeside(test.sql, of(fresh))];
    const { value, stream, key } = await storeTestMemory(test, { content: 'secret' });
    for (const generation of generations) await follow(test, generation, everything);
    const data = { memoryId: value.id, keyId: key.id };
    await test.store.append(stream, 'exists', [{ type: 'MemoryErased', data }], testContext());
    for (const generation of generations) await follow(test, generation, everything);
    expect([await kept(old), await kept(fresh)]).toEqual([[], []]);
  });

  it('[F6] are dropped with the last generation of their model, so no erasure can miss them', async () => {
    await storeTestMemory(test, { content: 'one' });
    await live();
    const first = await createBeside(test.sql, of(fresh));
    const second = await createBeside(test.sql, of(fresh));
    await follow(test, first, everything);
    await dropGeneration(test.sql, of(fresh), first.number);
    expect(await kept(fresh)).toHaveLength(1);
    // Dropped through the projection of another model, because the dropped model may no longer be registered.
    await dropGeneration(test.sql, of(old), second.number);
    expect(await kept(fresh)).toBeUndefined();
    expect(await kept(old)).toBeDefined();
  });

  it('[F5] are not made again if a generation of the model already exists', async () => {
    await storeTestMemory(test, { content: 'one' });
    await live();
    await follow(test, await beginRebuild(test.sql, of(fresh), undivided), everything);
    await follow(test, await beginRebuild(test.sql, of(fresh), undivided), everything);
    expect(embedded).toEqual([`${fresh}: one`]);
    const rows = await test.sql.query('select generation from read.generations order by generation');
    expect(rows).toEqual([{ generation: 1 }, { generation: 3 }]);
  });
});

describe('a rebuild with another model', () => {
  async function operating(
    compare: ShadowComparison,
    use: (operations: ProjectionOperations) => Promise<void>,
  ): Promise<void> {
    const { sql, store } = test;
    const runner = new ProjectionRunner({
      sql,
      store,
      projections: [vectors(registry)],
      progress: new WakeUp(),
      leases: await openSqlLeases(sql, 'this process'),
      onError: () => undefined,
    });
    const operations = new ProjectionOperations(sql, store, runner, { compare });
    await runner.prepare();
    await runner.start();
    try {
      await use(operations);
    } finally {
      await operations.stop();
      await runner.stop();
    }
  }

  const beside = async (operations: ProjectionOperations) => {
    const [{ generations } = { generations: [] }] = await operations.status();
    return generations.find(({ active }) => !active);
  };

  it('[F5] becomes ready even if the models could not be compared, and reports why', async () => {
    await storeTestMemory(test, { content: 'one' });
    const away = () => Promise.reject(new EmbedderUnavailable('the model is away'));
    await operating(away, async (operations) => {
      await (
        await operations.rebuild('vectors', testContext(), { variant: fresh })
      ).done;
      const own = await beside(operations);
      expect(own).toMatchObject({ state: 'ready', error: 'not compared: the model is away' });
      expect(own?.comparison).toBeUndefined();
      expect(await operations.switch('vectors', testContext())).toMatchObject({ to: own?.generation });
    });
  });

  it('[F5] is compared once, with the given queries, and not with the same model', async () => {
    const requests: ShadowRequest[] = [];
    const figures = { queries: 1, overlap: 0.5 };
    const compare: ShadowComparison = async (request) => {
      requests.push(request);
      return { model: request.model, liveModel: request.liveModel, ...figures };
    };
    const queries = [{ tenant: 'acme', query: 'tea' }];
    await operating(compare, async (operations) => {
      await (
        await operations.rebuild('vectors', testContext(), { variant: fresh, queries })
      ).done;
      expect(requests).toEqual([{ model: fresh, liveModel: old, queries }]);
      expect((await beside(operations))?.comparison).toEqual({ model: fresh, liveModel: old, ...figures });
      await operations.switch('vectors', testContext());
      // Without a variant, the rebuild keeps the live model.
      await (
        await operations.rebuild('vectors', testContext())
      ).done;
      expect(requests).toHaveLength(1);
      expect(await beside(operations)).toMatchObject({
        equal: true,
        signature: expect.stringContaining(fresh),
      });
    });
  });
});

describe('the loaded models', () => {
  it('[F5] are exactly those of existing generations', async () => {
    const failures: unknown[] = [];
    const upkeep = new ModelUpkeep(test.sql, registry, {
      onError: (...failure) => void failures.push(failure),
    });
    await live();
    await registry.load(fresh);
    expect(await upkeep.once()).toEqual(new Set([old]));
    expect(open).toEqual(new Set([old]));
    const { number } = await createBeside(test.sql, of(fresh));
    expect(await upkeep.once()).toEqual(new Set([old, fresh]));
    expect(open).toEqual(new Set([old, fresh]));
    await dropGeneration(test.sql, of(fresh), number);
    await upkeep.once();
    expect(open).toEqual(new Set([old]));
    expect(failures).toEqual([]);
  });

  it('[H4] are reported once when one does not answer, and when it answers again', async () => {
    const reports: unknown[] = [];
    let isAway = true;
    const sole = new ModelRegistry(
      [
        {
          ...entryOf(16),
          open: () => (isAway ? Promise.reject(new EmbedderUnavailable('away')) : entryOf(16).open()),
        },
      ],
      old,
    );
    await live();
    const upkeep = new ModelUpkeep(test.sql, sole, {
      onError: (model, error) => void reports.push([model, (error as Error).message]),
      onRecovered: (model) => void reports.push([model, 'answers']),
    });
    for (let round = 0; round < 3; round++) await upkeep.once();
    expect(reports).toEqual([[old, 'away']]);
    isAway = false;
    await sole.probe(old);
    for (let round = 0; round < 2; round++) await upkeep.once();
    expect(reports).toEqual([
      [old, 'away'],
      [old, 'answers'],
    ]);
    await sole.close();
  });
});
