// The topics of the profile `cluster`, by the three rules of docs/guides/topics.md.
import { Kafka, logLevel } from 'kafkajs';

/** Joining a group takes seconds; after this long without a record the broker has nothing more to give. */
const idleMs = 15_000;

/**
 * Batches of events from the two public topics. Offsets are kept by the store, in the transaction of the events, and not in Kafka.
 * Without `follow` it ends when every partition is read up to where it ended at the start.
 */
export async function* kafkaBatches(store, { brokers, prefix, follow, stop }) {
  const kafka = new Kafka({
    clientId: 'stratalog-analytics',
    brokers: brokers.split(','),
    logLevel: logLevel.NOTHING,
  });
  const topics = [`${prefix}.events`, `${prefix}.retrieval`];
  const progress = await store.progress();
  const admin = kafka.admin();
  await admin.connect();
  const partitions = [];
  for (const topic of topics) {
    for (const { partition, low, high } of await admin.fetchTopicOffsets(topic)) {
      const kept = progress.get(`${topic}/${partition}`);
      const from = kept ? Math.max(Number(kept.next_offset), Number(low)) : Number(low);
      partitions.push({ topic, partition, from, high: Number(high) });
    }
  }
  await admin.disconnect();
  const behind = new Set(partitions.filter(({ from, high }) => from < high).map(nameOf));
  if (behind.size === 0 && !follow) return;

  const arrived = [];
  let wake = () => {};
  let ended = false;
  stop.addEventListener('abort', () => wake());
  const consumer = kafka.consumer({ groupId: `stratalog-analytics-${process.pid}-${Date.now()}` });
  await consumer.connect();
  await consumer.subscribe({ topics, fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachBatch: async ({ batch, resolveOffset, heartbeat }) => {
      if (ended) return;
      const source = nameOf(batch);
      const events = batch.messages.map((message) => eventOf(source, message));
      // Waits until the store has the batch, so that no more than one is in memory.
      await new Promise((stored) => {
        arrived.push({ events, source, last: Number(batch.lastOffset()), stored });
        wake();
      });
      resolveOffset(batch.lastOffset());
      await heartbeat();
    },
  });
  for (const { topic, partition, from } of partitions)
    consumer.seek({ topic, partition, offset: String(from) });
  const highOf = new Map(partitions.map((one) => [nameOf(one), one.high]));
  try {
    while (!stop.aborted && (follow || behind.size > 0)) {
      if (arrived.length === 0) {
        const isIdle = await new Promise((resolve) => {
          const timer = setTimeout(() => resolve(true), idleMs);
          wake = () => {
            clearTimeout(timer);
            resolve(false);
          };
        });
        if (isIdle && !follow)
          throw new Error(`the broker sent no record of ${[...behind].join(', ')} for ${idleMs / 1000} s`);
        continue;
      }
      const { events, source, last, stored } = arrived.shift();
      yield events;
      stored();
      if (last + 1 >= highOf.get(source)) behind.delete(source);
    }
  } finally {
    ended = true;
    for (const { stored } of arrived) stored();
    await consumer.disconnect();
  }
}

const nameOf = ({ topic, partition }) => `${topic}/${partition}`;

/** Watermarks, and events that are too large for Kafka, have no data: they only move the position. */
function eventOf(source, { offset, headers, value }) {
  const header = (name) => headers[name]?.toString();
  const isEmpty = header('ce_type') === 'stratalog.watermark' || header('ce_dataref') !== undefined;
  return {
    source,
    log: header('ce_source'),
    position: header('ce_position'),
    nextOffset: Number(offset) + 1,
    id: header('ce_id'),
    type: isEmpty ? undefined : header('ce_type'),
    time: header('ce_time'),
    actor: isEmpty ? undefined : JSON.parse(header('ce_metadata')).actor,
    data: isEmpty ? undefined : JSON.parse(value.toString()).routing,
  };
}
