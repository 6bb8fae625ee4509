import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import { allProjections } from '../../src/projections/all.ts';
import { traceMemoriesProjection } from '../../src/projections/trace-memories/trace-memories.ts';
import { Generation } from '../../src/projections/generation.ts';
import { createBeside, ensureLive } from '../../src/projections/generations.ts';
import { switchTo } from '../../src/projections/rebuild.ts';
import { RebuildCoordinator } from '../../src/projections/rebuild-coordinator.ts';
import { assertWithin } from '../support/assert-within.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';
import { HistoryWriter, steps } from '../support/histories.ts';
import { dividedInto, followAll, followPartition } from '../support/partitions.ts';
import { digestAfter, eventsOf, startAfresh } from '../support/read-models.ts';
import { soleEmbedder } from '../support/sole-embedder.ts';

const projections = [
  ...allProjections(soleEmbedder(deterministicEmbedder({ dimension: 16 }))),
  traceMemoriesProjection,
];
const partitioning = dividedInto(3);
const moves = fc.array(
  fc.record({ projection: fc.nat(projections.length - 1), partition: fc.nat(2), events: fc.nat(20) }),
  { minLength: 20, maxLength: 60, size: 'max' },
);

let test: TestStore;

beforeAll(async () => {
  test = await openTestStore();
});

afterAll(() => test.close());

describe('every read model whose partitions advance independently', () => {
  it('[G3] [F4] equals one that applied the whole log in order, and a rebuild that began meanwhile', async () => {
    await assertWithin(
      fc.asyncProperty(steps, moves, async (history, order) => {
        await startAfresh(test);
        const writer = new HistoryWriter(test);
        for (const projection of projections) await ensureLive(test.sql, projection, partitioning);
        const live = projections.map((projection) => new Generation(test.sql, projection, 1, partitioning));
        const move = async (n: number) => {
          const { projection, partition, events } = order[n % order.length]!;
          const generation = live[projection]!;
          await followPartition(test, generation, generation.partitions[partition]!, 1 + events);
        };
        for (const [n, step] of history.entries()) {
          await writer.write(step);
          await move(2 * n);
          await move(2 * n + 1);
        }
        const walk = new RebuildCoordinator(test.sql, test.store, new AbortController().signal);
        const rebuilds = projections.map(async (projection) => {
          const beside = await createBeside(test.sql, projection, partitioning);
          const { digest, liveDigest } = await walk.fill(beside);
          expect([projection.name, digest]).toEqual([projection.name, liveDigest]);
          await followAll(test, beside);
          await switchTo(test.sql, projection.name, beside.number);
          return beside;
        });
        for (const [n] of order.entries()) await move(n);
        for (const generation of live) await followAll(test, generation);
        const digests: string[][] = [];
        for (const [n, rebuilt] of (await Promise.all(rebuilds)).entries())
          digests.push([await rebuilt.digest(), await live[n]!.digest()]);
        const events = await eventsOf(test);
        for (const [n, projection] of projections.entries()) {
          const expected = await digestAfter(test, projection, [events]);
          expect([projection.name, ...digests[n]!]).toEqual([projection.name, expected, expected]);
        }
      }),
      { numRuns: 10, limitMs: 15_000 },
    );
  }, 60_000);
});
