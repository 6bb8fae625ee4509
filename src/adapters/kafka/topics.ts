import { setTimeout as delay } from 'node:timers/promises';
import type { Admin } from 'kafkajs';
import {
  TopicMismatch,
  TransportUnavailable,
  type TopicDefinition,
  type TopicPartition,
} from '../../ports/transport.ts';
import { openClient } from './client.ts';
import { placeOf, type PartitionOffset } from './places.ts';
import { hasType, KafkaRefused, translate } from './errors.ts';
import { maxBatchBytes, type KafkaTransportOptions } from './options.ts';

const attempts = 6;
/** For those who ask again by themselves. */
const fewAttempts = 1;
const visibleMs = 10_000;
const leadingMs = 3_000;

/** Makes topics and knows how many partitions they have. */
export class Topics {
  readonly #options: KafkaTransportOptions;
  /** A topic's partitions never change in number. */
  readonly #partitions = new Map<string, Promise<number>>();

  constructor(options: KafkaTransportOptions) {
    this.#options = options;
  }

  /** Resolves where a broker answers and takes the login. */
  async check(): Promise<void> {
    await this.#withAdmin((admin) => admin.describeCluster());
  }

  async ensure(definitions: readonly TopicDefinition[]): Promise<void> {
    if (definitions.length === 0) return;
    await this.#withAdmin(async (admin) => {
      const missing: TopicDefinition[] = [];
      for (const definition of definitions) {
        const found = await countPartitions(admin, definition.name);
        if (found === undefined) missing.push(definition);
        else refuseOther(definition, found);
      }
      if (missing.length === 0) return;
      // False where another process was faster.
      await admin.createTopics({
        topics: missing.map((definition) => this.#configuration(definition)),
        waitForLeaders: false,
      });
      for (const definition of missing) refuseOther(definition, await untilVisible(admin, definition.name));
    });
  }

  partitions(topic: string): Promise<number> {
    let count = this.#partitions.get(topic);
    if (!count) {
      count = this.#count(topic);
      this.#partitions.set(topic, count);
      count.catch(() => this.#partitions.delete(topic));
    }
    return count;
  }

  /**
   * Of the last record of each partition, or of the next one where there is none. Rejects after a short try; a leader that
   * was just chosen, as of a topic that was just made, is waited for.
   */
  async lastOffsets(partitions: readonly TopicPartition[]): Promise<PartitionOffset[]> {
    for (const end = Date.now() + leadingMs; ; await delay(50)) {
      try {
        return await this.#withAdmin((admin) => lastOffsets(admin, partitions), fewAttempts);
      } catch (error) {
        if (!hasType(error, 'NOT_LEADER_FOR_PARTITION') || Date.now() > end) throw error;
      }
    }
  }

  async #count(topic: string): Promise<number> {
    const count = await this.#withAdmin((admin) => countPartitions(admin, topic));
    if (count === undefined) throw new KafkaRefused(`there is no topic ${topic}: ensureTopics makes it`);
    return count;
  }

  async #withAdmin<T>(work: (admin: Admin) => Promise<T>, tries = attempts): Promise<T> {
    const client = openClient(this.#options, tries);
    const admin = client.kafka.admin();
    try {
      await admin.connect();
      return await work(admin);
    } catch (error) {
      throw error instanceof TopicMismatch ? error : translate(error);
    } finally {
      await client.close(admin);
    }
  }

  #configuration({ name, partitions, retentionMs }: TopicDefinition) {
    const { replicas } = this.#options;
    const settings = {
      'cleanup.policy': 'delete',
      'retention.ms': `${retentionMs ?? -1}`,
      'retention.bytes': '-1',
      // A producer whose clock is ahead would be refused; when an event happened stands in its own header.
      'message.timestamp.type': 'LogAppendTime',
      'max.message.bytes': `${maxBatchBytes}`,
      ...(replicas !== undefined && { 'min.insync.replicas': replicas > 2 ? '2' : '1' }),
    };
    return {
      topic: name,
      numPartitions: partitions,
      ...(replicas !== undefined && { replicationFactor: replicas }),
      configEntries: Object.entries(settings).map(([name, value]) => ({ name, value })),
    };
  }
}

async function lastOffsets(admin: Admin, places: readonly TopicPartition[]): Promise<PartitionOffset[]> {
  const offsets = new Map<string, string>();
  for (const topic of new Set(places.map((place) => place.topic)))
    for (const { partition, low, high } of await admin.fetchTopicOffsets(topic))
      offsets.set(placeOf({ topic, partition }), low === high ? high : String(BigInt(high) - 1n));
  return places.map(({ topic, partition }) => {
    const place = placeOf({ topic, partition });
    const offset = offsets.get(place);
    if (offset === undefined) throw new TransportUnavailable(`nobody tells the end of ${place}`);
    return { topic, partition, offset };
  });
}

/** Undefined where there is no such topic, or not yet every partition of it has a leader. */
async function countPartitions(admin: Admin, topic: string): Promise<number | undefined> {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    const partitions = topics[0]?.partitions ?? [];
    return partitions.length > 0 && partitions.every(({ leader }) => leader >= 0)
      ? partitions.length
      : undefined;
  } catch (error) {
    if (hasType(error, 'UNKNOWN_TOPIC_OR_PARTITION')) return undefined;
    throw error;
  }
}

/** A topic that was made is seen by every broker a moment later. */
async function untilVisible(admin: Admin, topic: string): Promise<number> {
  for (const end = Date.now() + visibleMs; ; await delay(50)) {
    const found = await countPartitions(admin, topic);
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`the topic ${topic} was made and is not served`);
  }
}

function refuseOther({ name, partitions }: TopicDefinition, found: number): void {
  if (found !== partitions)
    throw new TopicMismatch(
      `the topic ${name} has ${found} partitions and must have ${partitions}: their number cannot be changed, since keys keep their partition`,
    );
}
