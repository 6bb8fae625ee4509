import { describe, expect, it } from 'vitest';
import type { StreamName } from '../../src/ports/event-log.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import { CheckpointMoved } from '../../src/follow/processor.ts';
import { Generation } from '../../src/projections/generation.ts';
import { retryParked } from '../../src/follow/parked-streams.ts';
import { createBeside, readGenerations, setState } from '../../src/projections/generations.ts';
import { leastOf } from '../../src/follow/partitions.ts';
import { switchTo } from '../../src/projections/rebuild.ts';
import { RebuildCoordinator } from '../../src/projections/rebuild-coordinator.ts';
import { ReadModels } from '../../src/queries/read-models.ts';
import { storeTestMemory, updateTestMemory } from '../support/event-store.ts';
import { Journal } from '../support/journal.ts';
import { useJournalStore } from '../support/journal-store.ts';
import { dividedInto, followAll, followPartition } from '../support/partitions.ts';

const partitioning = dividedInto(3);
const partitions = partitioning.partitionsOf(new Journal('journal'));

const test = useJournalStore(partitioning);

/** Stores memories until each of these partitions has one. Returns the stream of each. */
async function storeIn(...wanted: string[]): Promise<StreamName[]> {
  const streams = new Map<string, StreamName>();
  while (streams.size < wanted.length) {
    const { stream } = await storeTestMemory(test, { content: 'text' });
    const partition = partitioning.partitionOf(stream);
    if (wanted.includes(partition)) streams.set(partition, stream);
  }
  return wanted.map((partition) => streams.get(partition)!);
}

const bookmarksOf = async (number: number) =>
  (await readGenerations(test.sql)).find(({ generation }) => generation === number)!.checkpoints;
const pageAfter = (after: number) => test.store.readAll({ after, limit: 1_000 });
const parked = () =>
  test.sql.query<{ partition: string; stream: string }>(
    'select partition, stream from follow.parked where generation = 1',
  );
const besides = () => createBeside(test.sql, test.journal, partitioning);
const fill = (generation: Generation) =>
  new RebuildCoordinator(test.sql, test.store, new AbortController().signal).fill(generation);
/** Applies all partitions to the live generation, except one. */
const followAllBut = async (stays: string) => {
  for (const partition of partitions)
    if (partition !== stays) while (await followPartition(test, test.live, partition, 100));
};

describe('a partition', () => {
  it('[G3] is written with its own checkpoint, and only contains its own streams', async () => {
    const [mine] = await storeIn('p/1', 'p/2');
    const head = await test.log.head();
    await test.live.apply(await pageAfter(0), await test.live.checkpoint(['p/1']));
    expect(Object.fromEntries(await bookmarksOf(1))).toEqual({ 'p/0': 0, 'p/1': head, 'p/2': 0 });
    const streams = (await test.journal.rows(test.sql)).map(({ stream }) => stream);
    expect(streams).toContain(mine);
    expect(new Set(streams.map(partitioning.partitionOf))).toEqual(new Set(['p/1']));
  });

  it('[G3] does not block another one: both are written in parallel from their earlier states', async () => {
    await storeIn(...partitions);
    const page = await pageAfter(0);
    const states = await Promise.all(partitions.map((partition) => test.live.checkpoint([partition])));
    await Promise.all(states.map((state) => test.live.apply(page, state)));
    expect(await test.journal.rows(test.sql)).toHaveLength(page.events.length);
    expect(leastOf(await bookmarksOf(1))).toBe(page.scannedTo);
  });

  it('[G3] is written in one transaction with others that come at the same time', async () => {
    await storeIn(...partitions);
    const page = await pageAfter(0);
    const states = await Promise.all(partitions.map((partition) => test.live.checkpoint([partition])));
    let moves = 0;
    test.sql.fault = (statement) => {
      if (statement.includes('update follow.checkpoints')) moves++;
      return undefined;
    };
    const after = await Promise.all(states.map((state) => test.live.apply(page, state)));
    expect(after.map(({ position }) => position)).toEqual(partitions.map(() => page.scannedTo));
    expect(moves).toBe(1);
    expect(await test.journal.rows(test.sql)).toHaveLength(page.events.length);
  });

  it('[G3] [G4] that is a zombie or has a poison event does not affect the others', async () => {
    const [, bad] = await storeIn(...partitions);
    await updateTestMemory(test, bad!, 'poison');
    test.journal.onEvent = (text) => {
      if (text === 'poison') throw new Error('refused');
    };
    const page = await pageAfter(0);
    const states = await Promise.all(partitions.map((partition) => test.live.checkpoint([partition])));
    await new Generation(test.sql, test.journal, 1, partitioning).apply(page, states[0]!);
    const outcomes = await Promise.allSettled(states.map((state) => test.live.apply(page, state)));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(await parked()).toEqual([{ partition: 'p/1', stream: bad }]);
    expect(await test.journal.rows(test.sql)).toHaveLength(page.events.length - 1);
    expect(leastOf(await bookmarksOf(1))).toBe(page.scannedTo);
  });

  it('[G3] that another process took over writes nothing, because its checkpoint has moved', async () => {
    await storeIn('p/0');
    const page = await pageAfter(0);
    const zombie = await test.live.checkpoint(['p/0']);
    await new Generation(test.sql, test.journal, 1, partitioning).apply(page, zombie);
    await expect(test.live.apply(page, zombie)).rejects.toBeInstanceOf(CheckpointMoved);
  });

  it('[G4] parks its own stream; the others continue from their earlier states', async () => {
    const [bad, good] = await storeIn('p/0', 'p/1');
    await updateTestMemory(test, bad!, 'poison');
    test.journal.onEvent = (text) => {
      if (text === 'poison') throw new Error('refused');
    };
    const page = await pageAfter(0);
    const other = await test.live.checkpoint(['p/1']);
    await test.live.apply(page, await test.live.checkpoint(['p/0']));
    expect(await parked()).toEqual([{ partition: 'p/0', stream: bad }]);
    await test.live.apply(page, other);
    expect((await test.journal.rows(test.sql)).map(({ stream }) => stream)).toContain(good);
    expect((await test.live.checkpoint(['p/0'])).parked).toEqual(new Set([bad]));
    expect((await test.live.checkpoint(['p/1'])).parked).toEqual(new Set());
  });

  it('[G4] retries a parked stream up to its own checkpoint', async () => {
    const [bad] = await storeIn('p/0');
    await updateTestMemory(test, bad!, 'poison');
    test.journal.onEvent = (text) => {
      if (text === 'poison') throw new Error('refused');
    };
    await followAll(test, test.live);
    await updateTestMemory(test, bad!, 'later');
    await followAllBut('p/0');
    test.journal.onEvent = () => {};
    await retryParked(test.live, test, bad!);
    expect(await parked()).toEqual([]);
    await followAll(test, test.live);
    const own = (await test.journal.rows(test.sql)).filter(({ stream }) => stream === bad);
    expect(own.map(({ text }) => text)).toEqual(['text', 'poison', 'later']);
  });
});

describe('a query', () => {
  it('[A10] waits for the partition that is furthest behind', async () => {
    await storeIn(...partitions);
    const head = await test.log.head();
    const models = new ReadModels(test.sql, new WakeUp());
    const demand = { projections: ['journal'], minPosition: head, waitMs: 0 };
    await followAllBut('p/2');
    await expect(models.view(demand)).rejects.toMatchObject({ code: 'position-timeout' });
    await followAll(test, test.live);
    expect((await models.view(demand)).position).toBe(head);
  });
});

describe('a rebuild next to a live generation with partitions at different positions', () => {
  it('[F4] reaches the position of each partition, and is equal there', async () => {
    await storeIn(...partitions);
    await followAll(test, test.live);
    await storeIn(...partitions);
    await followAllBut('p/1');
    const rebuilt = await besides();
    const result = await fill(rebuilt);
    expect(result.digest).toBe(result.liveDigest);
    expect(await bookmarksOf(rebuilt.number)).toEqual(await bookmarksOf(1));
    await followAll(test, test.live);
    await followAll(test, rebuilt);
    expect(await rebuilt.digest()).toBe(await test.live.digest());
  });

  it('[F4] waits for the partition that is behind it while the others continue', async () => {
    await storeIn(...partitions);
    const rebuilt = await besides();
    const head = await test.log.head();
    await rebuilt.apply(await pageAfter(0), await rebuilt.checkpoint());
    let done = false;
    const filled = fill(rebuilt).finally(() => (done = true));
    for (let n = 0; n < 5; n++) {
      await storeIn('p/0');
      await followAllBut('p/2');
    }
    expect(done).toBe(false);
    expect(leastOf(await bookmarksOf(rebuilt.number))).toBe(head);
    await followAll(test, test.live);
    const result = await filled;
    expect(result.digest).toBe(result.liveDigest);
  });

  it('[F4] parks what the live one parked', async () => {
    const [bad] = await storeIn('p/0', 'p/1');
    await followAll(test, test.live);
    await updateTestMemory(test, bad!, 'poison');
    test.journal.onEvent = (text) => {
      if (text === 'poison') throw new Error('refused');
    };
    await storeIn('p/1');
    await followAllBut('p/2');
    const rebuilt = await besides();
    const filled = fill(rebuilt);
    await followAll(test, test.live);
    const result = await filled;
    expect(result.digest).toBe(result.liveDigest);
    expect((await rebuilt.checkpoint(['p/0'])).parked).toEqual(new Set([bad]));
  });

  it('[F4] becomes live only if it is as far in every partition', async () => {
    await storeIn(...partitions);
    const rebuilt = await besides();
    await setState(test.sql, 'journal', rebuilt.number, 'ready');
    await followAll(test, test.live);
    await followPartition(test, rebuilt, 'p/0', 100);
    await expect(switchTo(test.sql, 'journal', rebuilt.number)).rejects.toMatchObject({
      code: 'rebuild-not-ready',
    });
    await followAll(test, rebuilt);
    expect(await switchTo(test.sql, 'journal', rebuilt.number)).toEqual({ from: 1, to: rebuilt.number });
  });

  it('[F4] catches up during the switch, and does not fall back where it is ahead', async () => {
    await storeIn(...partitions);
    const rebuilt = await besides();
    await setState(test.sql, 'journal', rebuilt.number, 'ready');
    await followAll(test, rebuilt);
    await storeIn(...partitions);
    await followAllBut('p/2');
    await followPartition(test, rebuilt, 'p/2', 100);
    const ahead = (await bookmarksOf(rebuilt.number)).get('p/2');
    const short = { ...(await pageAfter(0)), scannedTo: 1 };
    await expect(
      switchTo(test.sql, 'journal', rebuilt.number, { generation: rebuilt, page: short }),
    ).rejects.toMatchObject({ code: 'rebuild-not-ready', retryAfter: 1 });
    const page = await pageAfter(leastOf(await bookmarksOf(rebuilt.number)));
    await switchTo(test.sql, 'journal', rebuilt.number, { generation: rebuilt, page });
    expect((await bookmarksOf(rebuilt.number)).get('p/2')).toBe(ahead);
    await followAll(test, test.live);
    expect(await rebuilt.digest()).toBe(await test.live.digest());
  });
});
