import { beforeEach, describe, expect, it } from 'vitest';
import type { LoadedPage } from '../../src/ports/event-store.ts';
import { maxPageSize, totalSize } from '../../src/support/recorded-size.ts';
import { Generation } from '../../src/projections/generation.ts';
import { createBeside } from '../../src/projections/generations.ts';
import { EventFeed } from '../../src/follow/event-feed.ts';
import { retryParked } from '../../src/follow/parked-streams.ts';
import { RebuildCoordinator } from '../../src/projections/rebuild-coordinator.ts';
import { storeTestMemory, updateTestMemory } from '../support/event-store.ts';
import { useJournalStore } from '../support/journal-store.ts';
import { dividedInto } from '../support/partitions.ts';

const test = useJournalStore();

const outOfMemory = () => Object.assign(new Error('out of memory'), { code: '53200' });
const parked = () => test.sql.query('select stream from follow.parked');

/** Reads the whole log into one page of any size. */
const all = async (): Promise<LoadedPage> => {
  const whole = { events: [], unreadable: [], scannedTo: 0 } as LoadedPage;
  for (let joined = whole; ;) {
    const page = await test.store.readAll({ after: joined.scannedTo, limit: 1_000 });
    if (page.scannedTo === joined.scannedTo) return joined;
    joined = { ...page, events: [...joined.events, ...page.events] };
  }
};

describe('[F4] events with a large total size', () => {
  const count = 40;
  let batches: { size: number; last: number }[];

  beforeEach(async () => {
    batches = [];
    test.journal.onPrepare = async (events) => {
      batches.push({ size: totalSize(events), last: events.at(-1)!.size });
    };
    // The default digest contains every text.
    test.journal.digest = (tables) => {
      const texts = `string_agg(stream || revision || md5(text), ',' order by stream, revision, n)`;
      return `select md5(${texts}) as digest from ${tables(test.journal.name)}`;
    };
    for (let n = 0; n < count; n++) await storeTestMemory(test, { content: `${n} ${'x'.repeat(190_000)}` });
  });

  const expectBounded = async (generation: number): Promise<void> => {
    for (const { size, last } of batches) expect(size - last).toBeLessThan(maxPageSize);
    expect(batches.length).toBeLessThan(6);
    expect(await test.journal.texts(test.sql, generation)).toHaveLength(count);
  };

  it('are written by several transactions, live and in a rebuild', async () => {
    const page = await all();
    expect(page.events).toHaveLength(count);
    const state = await test.live.apply(page, await test.live.checkpoint());
    expect(state.position).toBe(page.scannedTo);
    await expectBounded(1);

    batches = [];
    const fresh = await createBeside(test.sql, test.journal);
    const { digest, liveDigest } = await new RebuildCoordinator(
      test.sql,
      test.store,
      new AbortController().signal,
    ).fill(fresh);
    expect(digest).toBe(liveDigest);
    await expectBounded(2);
  }, 30_000);

  it('are not collected beyond the limit across partitions', async () => {
    const divided = dividedInto(count);
    await test.sql.query('delete from follow.checkpoints');
    for (const partition of divided.partitionsOf(test.journal))
      await test.sql.query(
        `insert into follow.checkpoints (name, generation, partition, position) values ('journal', 1, $1, 0)`,
        [partition],
      );
    const live = new Generation(test.sql, test.journal, 1, divided);
    const page = await all();
    await Promise.all(
      live.partitions.map(async (partition) => live.apply(page, await live.checkpoint([partition]))),
    );
    await expectBounded(1);
  }, 30_000);
});

describe('[F4] the feed of the log', () => {
  it('caches pages up to a size', async () => {
    await storeTestMemory(test);
    const reads: number[] = [];
    const feed = new EventFeed({
      ...test.store,
      readAll: async ({ after = 0 }) => {
        reads.push(after);
        const [event] = (await test.store.readAll({ after: 0, limit: 1 })).events;
        return { events: [{ ...event!, size: maxPageSize }], unreadable: [], scannedTo: after + 1 };
      },
      subscribe: () => test.store.subscribe({ after: 0, signal: AbortSignal.abort() }),
    } as never);
    const { signal } = new AbortController();
    for (let at = 0; at < 6; at++) await feed.next(at, signal);
    await feed.next(5, signal);
    await feed.next(0, signal);
    expect(reads).toEqual([0, 1, 2, 3, 4, 5, 0]);
  });
});

describe('[F4] a database with too little memory', () => {
  /** Fails with more than one event. */
  beforeEach(() => {
    test.journal.onPrepare = async (events) => {
      if (events.length > 1) throw outOfMemory();
    };
  });

  it('applies a batch event by event', async () => {
    for (const content of ['a', 'b', 'c']) await storeTestMemory(test, { content });
    const page = await all();
    const state = await test.live.apply(page, await test.live.checkpoint());
    expect(state).toEqual({ partitions: ['log'], position: page.scannedTo, parked: new Set() });
    expect(await test.journal.texts(test.sql)).toEqual(['a', 'b', 'c']);
  });

  it('applies a parked stream event by event', async () => {
    const { stream } = await storeTestMemory(test, { content: 'poison' });
    await updateTestMemory(test, stream, 'b');
    const page = await all();
    test.journal.onEvent = (text) => {
      if (text === 'poison') throw new Error('refused');
    };
    await test.live.apply(page, await test.live.checkpoint());
    test.journal.onEvent = () => {};
    expect(await retryParked(test.live, test, stream)).toBe(true);
    expect(await test.journal.texts(test.sql)).toEqual(['poison', 'b']);
    expect(await parked()).toEqual([]);
  });

  it('is retried if a single event is too large, without parking a stream', async () => {
    await storeTestMemory(test, { content: 'a' });
    test.journal.onPrepare = () => Promise.reject(outOfMemory());
    await expect(test.live.apply(await all(), await test.live.checkpoint())).rejects.toThrow('out of memory');
    expect(await parked()).toEqual([]);
    expect(await test.live.checkpoint()).toMatchObject({ position: 0 });
  });
});
