import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LoadedEvent } from '../../src/ports/event-store.ts';
import { DocumentsRefused, LexicalIndexUnavailable } from '../../src/ports/lexical-index.ts';
import { CheckpointMoved } from '../../src/follow/processor.ts';
import { retryParked } from '../../src/follow/parked-streams.ts';
import { lexical } from '../../src/projections/lexical/lexical.ts';
import { assertWithin } from '../support/assert-within.ts';
import { storeTestMemory, testContext, updateTestMemory } from '../support/event-store.ts';
import { failing } from '../support/faulty-sql.ts';
import { HistoryWriter, steps } from '../support/histories.ts';
import { eraseTestMemory } from '../support/lexical-cluster.ts';
import { findTerms, listed } from '../support/lexical-documents.ts';
import { useLexicalStore } from '../support/lexical-store.ts';
import { digestAfter, eventsOf, interleaved, split } from '../support/read-models.ts';

const url = process.env['STRATALOG_OPENSEARCH_URL'];

/** Arbitrary numbers that determine orders and sizes. They are used one after another, and repeated from the start. */
const dice = fc.array(fc.nat(1_000), { minLength: 12, maxLength: 60, size: 'max' }).map((numbers) => {
  let at = 0;
  return (n: number): number => numbers[at++ % numbers.length]! % n;
});

describe.skipIf(!url)('[G3] the lexical read model on OpenSearch', () => {
  const test = useLexicalStore(url!);

  const all = () => test.store.readAll({ after: 0, limit: 1_000 });
  const parked = () => test.sql.query<{ stream: string; error: string }>('select * from follow.parked');

  it('is the same for every order that keeps the order within each stream, and equals its rows in the database', async () => {
    await assertWithin(
      fc.asyncProperty(steps, dice, async (history, choose) => {
        await test.reset();
        const writer = new HistoryWriter(test);
        // The events as they could be read when they were new, before any erasure.
        const early: LoadedEvent[] = [];
        for (const step of history) {
          await writer.write(step);
          early.push(...(await eventsOf(test, early.at(-1)?.position ?? 0)));
        }
        const late = await eventsOf(test);
        const expected = await digestAfter(test, test.projection, [late]);
        expect(expected.startsWith(await digestAfter(test, lexical(), [late]))).toBe(true);
        const mixed = early.map((event, n) => (choose(2) === 0 ? event : late[n]!));
        for (const events of [early, late, mixed]) {
          const batches = split(interleaved(events, choose), () => 1 + choose(9));
          expect(await digestAfter(test, test.projection, batches)).toBe(expected);
        }
      }),
      { numRuns: 6, limitMs: 40_000 },
    );
  });

  it('has the document of each memory that results from its events', async () => {
    const generation = await test.live();
    const [kept, edited, gone, back] = await Promise.all(
      ['kettle one', 'kettle two', 'kettle three', 'kettle four'].map((content) =>
        storeTestMemory(test, { content }),
      ),
    );
    const say = (stream: typeof kept, event: object) =>
      test.store.append(
        stream!.stream,
        'any',
        [{ ...event, data: { memoryId: stream!.value.id, ...(event as { data?: object }).data } } as never],
        {
          tenant: 'acme',
          actor: 'a',
          principal: 'p',
          cause: 'user',
          correlationId: 'c',
          key: stream!.key,
        },
      );
    await updateTestMemory(test, edited!.stream, 'samovar');
    await say(kept, { type: 'MemoryUpdated', data: { tags: ['new'] } });
    await say(gone, { type: 'MemoryDeleted', data: { retentionUntil: '2030-01-01T00:00:00Z' } });
    await say(back, { type: 'MemoryDeleted', data: { retentionUntil: '2030-01-01T00:00:00Z' } });
    await say(back, { type: 'MemoryRestored' });
    await generation.apply(await all(), await generation.checkpoint());
    expect(new Set(await findTerms(test.index, 'lexical-g1', 'kettle'))).toEqual(
      new Set([kept!.value.id, back!.value.id]),
    );
    expect(await findTerms(test.index, 'lexical-g1', 'samovar')).toEqual([edited!.value.id]);
    const revisions = new Map(
      (await listed(test.index, 'lexical-g1')).map(({ memoryId, revision, deleted }) => [
        memoryId,
        [revision, deleted],
      ]),
    );
    expect(revisions).toEqual(
      new Map([
        [kept!.value.id, [0, false]],
        [edited!.value.id, [1, false]],
        [gone!.value.id, [1, true]],
        [back!.value.id, [2, false]],
      ]),
    );
  });

  it('follows a speaker whom the metadata alone name, without writing a document', async () => {
    const generation = await test.live();
    const scope = { user: 'alice', session: 's1' };
    const { value, stream, key } = await storeTestMemory(test, {
      content: 'Ada: lighthouse',
      layer: 'session',
      scope,
    });
    await generation.apply(await all(), await generation.checkpoint());
    const speakers = () => test.sql.query('select attributed, labelled, revision from read.lexical_g1');
    expect(await speakers()).toEqual([{ attributed: null, labelled: 'ada', revision: 0 }]);
    test.faulty.before = (method) => {
      if (method === 'write') throw new Error('a document is written');
    };
    const data = { memoryId: value.id, metadata: { speaker: 'Grace' } };
    await test.store.append(stream, 'any', [{ type: 'MemoryUpdated', data }], testContext({ key }));
    await generation.apply(await all(), await generation.checkpoint());
    expect(await speakers()).toEqual([{ attributed: 'grace', labelled: 'ada', revision: 0 }]);
    test.faulty.mend();
    const { digest, liveDigest } = await test.rebuilt();
    expect(digest).toBe(liveDigest);
  });

  it.each(['before', 'after'] as const)(
    'takes effect once if the process ends between the documents and the commit (%s the position)',
    async (fault) => {
      const generation = await test.live();
      const { stream } = await storeTestMemory(test, { content: 'lighthouse' });
      const state = await generation.checkpoint();
      test.sql.fault = failing('update follow.checkpoints', fault);
      await expect(generation.apply(await all(), state)).rejects.toThrow();
      // The document is written, its row is not.
      expect(await listed(test.index, 'lexical-g1')).toHaveLength(1);
      expect(await test.sql.query('select 1 from read.lexical_g1')).toEqual([]);
      await updateTestMemory(test, stream, 'foghorn');
      await generation.apply(await all(), await generation.checkpoint());
      expect(await findTerms(test.index, 'lexical-g1', 'lighthouse')).toEqual([]);
      expect(await findTerms(test.index, 'lexical-g1', 'foghorn')).toHaveLength(1);
      const { digest, liveDigest } = await test.rebuilt();
      expect(digest).toBe(liveDigest);
    },
  );

  it('[F6] removes the words of a memory that was erased between its document and the commit', async () => {
    const generation = await test.live();
    const { value } = await storeTestMemory(test, { content: 'lighthouse' });
    test.sql.fault = failing('update follow.checkpoints', 'before');
    await expect(generation.apply(await all(), await generation.checkpoint())).rejects.toThrow();
    expect(await findTerms(test.index, 'lexical-g1', 'lighthouse')).toEqual([value.id]);
    await eraseTestMemory(test, value.id);
    await generation.apply(await all(), await generation.checkpoint());
    expect(await findTerms(test.index, 'lexical-g1', 'lighthouse')).toEqual([]);
    expect(await listed(test.index, 'lexical-g1')).toMatchObject([{ revision: 1, deleted: true }]);
    expect(await test.sql.query('select erasures from read.lexical_expunge_g1')).toEqual([{ erasures: 2 }]);
  });

  it('is not changed by a process that another one overtakes in the middle of its batch', async () => {
    const generation = await test.live();
    const { stream } = await storeTestMemory(test, { content: 'lighthouse' });
    const page = await all();
    const state = await generation.checkpoint();
    let wake = () => {};
    let asleep = () => {};
    const sleeping = new Promise<void>((resolve) => (asleep = resolve));
    test.faulty.before = (method) => {
      if (method !== 'write') return undefined;
      test.faulty.mend();
      asleep();
      return new Promise<void>((resolve) => (wake = resolve));
    };
    const zombie = generation.apply(page, state);
    await sleeping;
    await updateTestMemory(test, stream, 'foghorn');
    await generation.apply(await all(), state);
    wake();
    await expect(zombie).rejects.toBeInstanceOf(CheckpointMoved);
    await test.index.refresh('lexical-g1');
    expect(await findTerms(test.index, 'lexical-g1', 'lighthouse')).toEqual([]);
    expect(await findTerms(test.index, 'lexical-g1', 'foghorn')).toHaveLength(1);
    const { digest, liveDigest } = await test.rebuilt();
    expect(digest).toBe(liveDigest);
  });

  it('is compared at its checkpoint, ignoring the documents of a batch in progress', async () => {
    const generation = await test.live();
    const { stream } = await storeTestMemory(test, { content: 'lighthouse' });
    await generation.apply(await all(), await generation.checkpoint());
    const digest = await generation.digest();
    await updateTestMemory(test, stream, 'foghorn');
    await storeTestMemory(test, { content: 'a new one' });
    test.sql.fault = failing('update follow.checkpoints', 'before');
    await expect(generation.apply(await all(), await generation.checkpoint())).rejects.toThrow();
    expect(await generation.digest()).toBe(digest);
    await generation.apply(await all(), await generation.checkpoint());
    expect(await generation.digest()).not.toBe(digest);
  });

  it('[A4] finds a memory by its words in other written forms', async () => {
    const generation = await test.live();
    const { value } = await storeTestMemory(test, { content: '연차 휴가는 ٤٤٢١ €12,450.00 LeaseStore 會議' });
    await storeTestMemory(test, { content: 'foghorn' });
    await generation.apply(await all(), await generation.checkpoint());
    for (const asked of ['휴가', '4421', '12450', 'store', '会议'])
      expect(await findTerms(test.index, 'lexical-g1', asked), asked).toEqual([value.id]);
  });

  it('detects by its digest a missing document, and a different one', async () => {
    const generation = await test.live();
    const { value } = await storeTestMemory(test, { content: 'lighthouse' });
    await storeTestMemory(test, { content: 'foghorn' });
    await generation.apply(await all(), await generation.checkpoint());
    const right = await generation.digest();
    const other = {
      tenant: 'acme',
      memoryId: value.id,
      revision: 0,
      deleted: false,
      layer: 'user',
      scope: {},
      body: 'x',
    } as const;
    await test.index.write('lexical-g1', [other]);
    await test.index.refresh('lexical-g1');
    const different = await generation.digest();
    await test.index.dropGeneration('lexical-g1');
    await test.index.createGeneration('lexical-g1');
    const missing = await generation.digest();
    await test.index.dropGeneration('lexical-g1');
    const without = await generation.digest();
    expect(new Set([right, different, missing, without]).size).toBe(4);
  });

  it('waits if the index is down or refuses its password, and parks nothing', async () => {
    const generation = await test.live();
    await storeTestMemory(test, { content: 'lighthouse' });
    const state = await generation.checkpoint();
    for (const failure of [new LexicalIndexUnavailable('away'), new Error('OpenSearch answers 401')]) {
      test.faulty.before = (method) => {
        if (method === 'write') throw failure;
      };
      await expect(generation.apply(await all(), state)).rejects.toBeInstanceOf(LexicalIndexUnavailable);
    }
    expect(await parked()).toEqual([]);
    test.faulty.mend();
    await generation.apply(await all(), state);
    expect(await findTerms(test.index, 'lexical-g1', 'lighthouse')).toHaveLength(1);
  });

  it('parks only the stream of a document that the index refuses', async () => {
    const generation = await test.live();
    await storeTestMemory(test, { content: 'lighthouse' });
    const bad = await storeTestMemory(test, { content: 'refused' });
    await storeTestMemory(test, { content: 'foghorn' });
    test.faulty.before = (method, [, documents]) => {
      const refused = (
        method === 'write' ? (documents as { memoryId: string; revision: number; tenant: string }[]) : []
      ).filter(({ memoryId }) => memoryId === bad.value.id);
      if (refused.length > 0)
        throw new DocumentsRefused(
          refused.map((one) => ({ ...one, reason: '400 mapper_parsing_exception' })),
        );
    };
    await generation.apply(await all(), await generation.checkpoint());
    expect(await parked()).toMatchObject([
      { stream: bad.stream, error: expect.stringMatching(/400 mapper_parsing_exception/) as string },
    ]);
    expect(await findTerms(test.index, 'lexical-g1', 'lighthouse foghorn')).toHaveLength(2);
    // Once the index works again, `retry` succeeds.
    test.faulty.mend();
    await retryParked(generation, test, bad.stream);
    expect(await findTerms(test.index, 'lexical-g1', 'refused')).toEqual([bad.value.id]);
  });

  it('refreshes once for all waiting batches, at most ten times a second', async () => {
    const generation = await test.live();
    let refreshes = 0;
    test.faulty.before = (method) => {
      if (method === 'refresh') refreshes++;
    };
    const began = performance.now();
    for (let n = 0; n < 5; n++) await storeTestMemory(test, { content: `lighthouse ${n}` });
    const events = (await all()).events;
    const context = { sql: test.sql, tables: generation.tables, generation: 1 };
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => test.projection.prepare!([events[n % 5]!], context)),
    );
    expect(await findTerms(test.index, 'lexical-g1', 'lighthouse')).toHaveLength(5);
    expect(refreshes).toBeLessThanOrEqual(1 + (performance.now() - began) / 100);
    expect(refreshes).toBeLessThan(40);
  });
});
