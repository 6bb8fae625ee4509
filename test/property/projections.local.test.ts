import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import type { LoadedEvent, LoadedPage } from '../../src/ports/event-store.ts';
import { allProjections } from '../../src/projections/all.ts';
import { traceMemoriesProjection } from '../../src/projections/trace-memories/trace-memories.ts';
import { RebuildCoordinator } from '../../src/projections/rebuild-coordinator.ts';
import { Generation } from '../../src/projections/generation.ts';
import { createBeside, ensureLive } from '../../src/projections/generations.ts';
import { switchTo } from '../../src/projections/rebuild.ts';
import { assertWithin } from '../support/assert-within.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';
import { HistoryWriter, steps, type Step } from '../support/histories.ts';
import {
  digestAfter,
  rowsOfReadModels,
  eventsOf,
  follow,
  interleaved,
  split,
  startAfresh,
} from '../support/read-models.ts';
import { soleEmbedder } from '../support/sole-embedder.ts';

const projections = [
  ...allProjections(soleEmbedder(deterministicEmbedder({ dimension: 16 }))),
  traceMemoriesProjection,
];
/** Arbitrary numbers that determine orders and sizes. They are used one after another, and repeated from the start. */
const dice = fc.array(fc.nat(1_000), { minLength: 12, maxLength: 60, size: 'max' }).map((numbers) => {
  let at = 0;
  return (n: number): number => numbers[at++ % numbers.length]! % n;
});

/** Time limit of each property. A slow machine stops after the first histories. */
const limitMs = 12_000;

let test: TestStore;

beforeAll(async () => {
  test = await openTestStore();
});

afterAll(() => test.close());

/** Writes a history. Returns its events as they could be read when they were new, before any erasure. */
async function write(history: readonly Step[]): Promise<{ early: LoadedEvent[]; writer: HistoryWriter }> {
  await startAfresh(test);
  const writer = new HistoryWriter(test);
  const early: LoadedEvent[] = [];
  for (const step of history) {
    await writer.write(step);
    early.push(...(await eventsOf(test, early.at(-1)?.position ?? 0)));
  }
  return { early, writer };
}

describe('every read model', () => {
  it('is the same for every order that keeps the order within each stream, read early or late', async () => {
    await assertWithin(
      fc.asyncProperty(steps, dice, async (history, choose) => {
        const { early } = await write(history);
        const late = await eventsOf(test);
        for (const projection of projections) {
          const expected = await digestAfter(test, projection, [early]);
          for (const events of [early, late, early.map((event, n) => (choose(2) === 0 ? event : late[n]!))]) {
            const batches = split(interleaved(events, choose), () => 1 + choose(9));
            expect([projection.name, await digestAfter(test, projection, batches)]).toEqual([
              projection.name,
              expected,
            ]);
          }
        }
      }),
      { numRuns: 12, limitMs },
    );
  }, 60_000);

  it('is the same for any division of the log into batches', async () => {
    await assertWithin(
      fc.asyncProperty(steps, dice, async (history, choose) => {
        const { early } = await write(history);
        for (const projection of projections) {
          const expected = await digestAfter(
            test,
            projection,
            split(early, () => 1),
          );
          for (const batches of [[early], split(early, () => 1 + choose(12))])
            expect([projection.name, await digestAfter(test, projection, batches)]).toEqual([
              projection.name,
              expected,
            ]);
        }
      }),
      { numRuns: 12, limitMs },
    );
  }, 60_000);

  it('is not changed by repeated pages', async () => {
    await assertWithin(
      fc.asyncProperty(steps, dice, async (history, choose) => {
        await write(history);
        for (const projection of projections) {
          await ensureLive(test.sql, projection);
          const generation = new Generation(test.sql, projection, 1);
          const pages: LoadedPage[] = [];
          await follow(
            test,
            generation,
            () => 1 + choose(12),
            (page) => pages.push(page),
          );
          const [digest, state] = [await generation.digest(), await generation.checkpoint()];
          for (const page of pages)
            if (choose(3) > 0)
              expect(await generation.apply({ ...page, scannedTo: state.position }, state)).toEqual(state);
          expect([projection.name, await generation.digest()]).toEqual([projection.name, digest]);
        }
      }),
      { numRuns: 8, limitMs },
    );
  }, 60_000);

  it('equals a rebuild that began at any time while the log grew, and contains no words of erased memories', async () => {
    await assertWithin(
      fc.asyncProperty(steps, dice, async (history, choose) => {
        await startAfresh(test);
        const writer = new HistoryWriter(test);
        for (const projection of projections) await ensureLive(test.sql, projection);
        const generations = projections.map((projection) => new Generation(test.sql, projection, 1));
        const beside = choose(history.length);
        for (const [n, step] of history.entries()) {
          await writer.write(step);
          if (n === beside)
            for (const projection of projections) generations.push(await createBeside(test.sql, projection));
          for (const generation of generations)
            if (choose(4) === 0) await follow(test, generation, () => 1 + choose(20));
        }
        for (const generation of generations) await follow(test, generation, () => 50);
        const walk = new RebuildCoordinator(test.sql, test.store, new AbortController().signal);
        const rebuilds: Promise<unknown>[] = [];
        for (const projection of projections) {
          const [live, second] = generations.filter((generation) => generation.projection === projection);
          expect([projection.name, await second!.digest()]).toEqual([projection.name, await live!.digest()]);
          const third = await createBeside(test.sql, projection);
          const rebuilt = walk.fill(third).then(async ({ digest, liveDigest }) => {
            expect([projection.name, digest]).toEqual([projection.name, liveDigest]);
            await switchTo(test.sql, projection.name, third.number);
          });
          rebuilds.push(rebuilt);
        }
        await Promise.all(rebuilds);
        const rows = await rowsOfReadModels(test);
        const gone = [...writer.erased].flatMap((id) => writer.words.get(id)!);
        const left = rows.filter((row) => gone.some((word) => new RegExp(`\\b${word}\\b`).test(row)));
        expect(left).toEqual([]);
        // What is learned from use does not even name them.
        const learned = rows.filter((row) =>
          /^read\.(usage|value|feedback|trace|lesson|experience)/.test(row),
        );
        expect(learned.filter((row) => [...writer.erased].some((id) => row.includes(id)))).toEqual([]);
      }),
      { numRuns: 10, limitMs },
    );
  }, 60_000);
});
