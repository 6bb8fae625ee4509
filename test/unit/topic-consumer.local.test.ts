import { beforeEach, describe, expect, it } from 'vitest';
import { v7 as uuid } from 'uuid';
import { toWatermark, toWithheldRecord } from '../../src/domain/contract/cloud-event.ts';
import { memoryStream } from '../../src/domain/streams.ts';
import { LogUnavailable, type StreamName } from '../../src/ports/event-log.ts';
import { SqlUnavailable } from '../../src/ports/sql.ts';
import { CheckpointWriter } from '../../src/follow/checkpoint-writer.ts';
import { CheckpointMoved } from '../../src/follow/processor.ts';
import { retryParked } from '../../src/follow/parked-streams.ts';
import { readGenerations } from '../../src/projections/generations.ts';
import { LogGaps } from '../../src/projections/log-gaps.ts';
import { OpenedCache } from '../../src/projections/opened-cache.ts';
import { TopicConsumer } from '../../src/projections/topic-consumer.ts';
import { storeTestMemory, updateTestMemory } from '../support/event-store.ts';
import { failing } from '../support/faulty-sql.ts';
import { useJournalStore } from '../support/journal-store.ts';
import { everyPartition, isIn, partitioning, prefix, TopicDouble } from '../support/topic-records.ts';

const partition = 'events/3';

const test = useJournalStore(partitioning);
let topic: TopicDouble;
let start: number;

beforeEach(async () => {
  topic = new TopicDouble(test.log, partition);
  start = await test.log.head();
});

/** A group member that was just assigned the partition, after the relay has published the whole log. */
async function member(signal = new AbortController().signal): Promise<TopicConsumer> {
  const opened = new OpenedCache(test.store);
  const gaps = new LogGaps(test.log, opened);
  const checkpointWriter = new CheckpointWriter(test.sql, { lingerMs: 1, restMs: 0 });
  const { log } = test;
  topic.records.push(toWatermark(await log.head(), log.logId));
  const services = { log, checkpointWriter, opened, gaps, prefix };
  const consumer = new TopicConsumer(test.live, services, signal);
  await consumer.assigned([{ ...topic.place, next: String(topic.records.length - 1) }]);
  return consumer;
}

/** Stores memories until one is in the partition; those before it are in other partitions. */
async function store(content: string, of = partition): Promise<StreamName> {
  for (;;) {
    const id = uuid();
    const stream = memoryStream('acme', id);
    if (isIn(of, stream) || !isIn(partition, stream)) await storeTestMemory(test, { id, content });
    if (isIn(of, stream)) return stream;
  }
}

const position = async (of = partition) => {
  const [row] = await readGenerations(test.sql);
  return row!.checkpoints.get(of);
};
const texts = () => test.journal.texts(test.sql);

describe('a member of the group of a generation', () => {
  it('[G3] applies the events of its partition in order, and moves its checkpoint to the last record', async () => {
    const consumer = await member();
    await store('a');
    await updateTestMemory(test, await store('b'), 'c');
    const head = await topic.relay(start);
    await consumer.handle(topic.batch());
    expect(await texts()).toEqual(['a', 'b', 'c']);
    expect(await position()).toBe(head);
    expect(await position('events/4')).toBe(0);
  });

  it('[G3] reads existing events from the log when it is assigned the partition, without any record', async () => {
    await store('a');
    await updateTestMemory(test, await store('b'), 'c');
    await member();
    expect(await texts()).toEqual(['a', 'b', 'c']);
    expect(await position()).toBe(await test.log.head());
  });

  it('[G3] stops reading the log when it leaves or has lost the partition', async () => {
    await store('a');
    await expect(member(AbortSignal.abort())).rejects.toBeInstanceOf(CheckpointMoved);
    const consumer = await member();
    await store('b');
    const assigned = consumer.assigned([topic.place]);
    consumer.revoked([topic.place]);
    await expect(assigned).rejects.toBeInstanceOf(CheckpointMoved);
    expect(await texts()).toEqual(['a']);
    expect(consumer.hasPartitions).toBe(false);
  });

  it('[G3] ignores repeated records, and those that the relay published twice', async () => {
    const consumer = await member();
    await store('a');
    const then = await topic.relay(start);
    await store('b');
    await topic.relay(start);
    await topic.relay(then);
    await consumer.handle(topic.batch());
    await consumer.handle(topic.batch());
    await (await member()).handle(topic.batch(1));
    expect(await texts()).toEqual(['a', 'b']);
  });

  it('[A10] advances by watermarks if its partition has no events', async () => {
    const consumer = await member();
    await store('elsewhere', 'events/5');
    const head = await topic.relay(start);
    await consumer.handle(topic.batch());
    expect(await position()).toBe(head);
    expect(await texts()).toEqual([]);
  });

  it('[G3] reads from the log the records that the topic deleted before they were fetched', async () => {
    const consumer = await member();
    await store('a');
    await store('b');
    await topic.relay(start);
    const gone = topic.records.length;
    await store('c');
    const head = await topic.relay((await test.log.head()) - 1);
    await consumer.handle(topic.batch(gone));
    expect(await texts()).toEqual(['a', 'b', 'c']);
    expect(await position()).toBe(head);
  });

  it('[G3] reads from the log the records that the topic deleted while the consumer was slow', async () => {
    const consumer = await member();
    await store('a');
    const then = await topic.relay(start);
    await consumer.handle(topic.batch());
    await store('b');
    await topic.relay(then);
    const gone = topic.records.length;
    await store('c');
    await topic.relay((await test.log.head()) - 1);
    await consumer.handle(topic.batch(gone));
    expect(await texts()).toEqual(['a', 'b', 'c']);
  });

  it('[G3] reads from the log what is missing between a late record of a relay and the next one', async () => {
    const consumer = await member();
    await store('a');
    const then = await topic.relay(start);
    await store('b');
    await store('c');
    await topic.relay(then);
    const gone = topic.records.length;
    topic.records.push(topic.records[1]!);
    const before = await test.log.head();
    await store('d');
    await topic.relay(before);
    await consumer.handle(topic.batch(gone));
    expect(await texts()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('[G3] reads everything from the log if the topic has only a watermark', async () => {
    const consumer = await member();
    await store('a');
    await topic.relay(start);
    await consumer.handle(topic.batch(topic.records.length - 1));
    expect(await texts()).toEqual(['a']);
  });

  it('waits if the topic is ahead of the log', async () => {
    await store('a');
    const consumer = await member();
    // A relay that reads another replica published this watermark earlier.
    topic.records[0] = toWatermark((await test.log.head()) + 100, test.log.logId);
    await expect(consumer.handle(topic.batch())).rejects.toBeInstanceOf(LogUnavailable);
    await store('b');
    await expect(consumer.handle(topic.batch())).rejects.toBeInstanceOf(LogUnavailable);
    expect(await texts()).toEqual(['a', 'b']);
  });

  it('reads an event that was too large for the transport from the log', async () => {
    const consumer = await member();
    await store('large');
    const { events } = await test.log.readAll({ after: start, limit: 1_000 });
    const head = await topic.relay(start);
    const source = { logId: test.log.logId, prefix };
    topic.records.splice(1, 1, toWithheldRecord(events.at(-1)!, source));
    await consumer.handle(topic.batch());
    expect(await texts()).toEqual(['large']);
    expect(await position()).toBe(head);
  });

  it('ignores records of another log and foreign records', async () => {
    const consumer = await member();
    await store('a');
    topic.records.push(toWatermark(1_000_000, 'another'), { key: 'x', value: 'nonsense', headers: {} });
    const head = await topic.relay(start);
    await consumer.handle(topic.batch());
    expect(await texts()).toEqual(['a']);
    expect(await position()).toBe(head);
  });

  it('[G3] that lost its partition writes nothing, and continues where the other member stopped', async () => {
    const [zombie, heir] = [await member(), await member()];
    await store('a');
    const then = await topic.relay(start);
    await heir.handle(topic.batch());
    await expect(zombie.handle(topic.batch())).rejects.toBeInstanceOf(CheckpointMoved);
    await store('b');
    await topic.relay(then);
    await zombie.handle(topic.batch());
    expect(await texts()).toEqual(['a', 'b']);
    zombie.revoked([topic.place]);
    await expect(zombie.handle(topic.batch())).rejects.toBeInstanceOf(CheckpointMoved);
  });

  it('[G3] that lost its partition does not move its checkpoint either', async () => {
    const [zombie, heir] = [await member(), await member()];
    const [first, second] = [1, 2].map((n) => toWatermark(start + n, test.log.logId));
    await storeTestMemory(test, { content: 'x' });
    await store('elsewhere', 'events/5');
    topic.records.push(first!);
    await heir.handle(topic.batch(1));
    topic.records.push(second!);
    await expect(zombie.handle(topic.batch())).rejects.toBeInstanceOf(CheckpointMoved);
    expect(await position()).toBe(start + 1);
  });

  it.each(['before', 'after'] as const)(
    '[G3] loses and duplicates nothing if the database fails %s a write: the batch is delivered again',
    async (fault) => {
      const consumer = await member();
      await store('a');
      await topic.relay(start);
      test.sql.fault = failing('insert into read.journal', fault);
      await expect(consumer.handle(topic.batch())).rejects.toBeInstanceOf(SqlUnavailable);
      await consumer.handle(topic.batch());
      expect(await texts()).toEqual(['a']);
    },
  );

  it('[G4] parks the stream of a poison event, and its partition continues', async () => {
    test.journal.onEvent = (text) => {
      if (text === 'poison') throw new Error('refused');
    };
    const consumer = await member();
    const bad = await store('poison');
    await store('a');
    const then = await topic.relay(start);
    await consumer.handle(topic.batch());
    await updateTestMemory(test, bad, 'later');
    const head = await topic.relay(then);
    await consumer.handle(topic.batch());
    expect(await texts()).toEqual(['a']);
    expect(await position()).toBe(head);
    test.journal.onEvent = () => {};
    await retryParked(test.live, test, bad);
    await updateTestMemory(test, bad, 'live again');
    await topic.relay(head);
    // The earlier list of parked streams is outdated.
    await expect(consumer.handle(topic.batch())).rejects.toBeInstanceOf(CheckpointMoved);
    await consumer.handle(topic.batch());
    expect(await texts()).toEqual(['a', 'poison', 'later', 'live again']);
  });

  it('[G3] moves the checkpoints of many partitions with few writes', async () => {
    const consumer = await member();
    const topics = everyPartition.map((name) => new TopicDouble(test.log, name));
    for (const { records } of topics) records.push(toWatermark(await test.log.head(), test.log.logId));
    await consumer.assigned(topics.map(({ place }) => ({ ...place, next: '0' })));
    await storeTestMemory(test, { content: 'x' });
    const head = await test.log.head();
    for (const { records } of topics) records.push(toWatermark(head, test.log.logId));
    let writes = 0;
    test.sql.fault = (statement) => {
      if (statement.includes('update follow.checkpoints')) writes++;
      return undefined;
    };
    await Promise.all(topics.map((one) => consumer.handle(one.batch())));
    expect(writes).toBeLessThanOrEqual(2);
    for (const name of everyPartition) expect(await position(name)).toBe(head);
  });
});
