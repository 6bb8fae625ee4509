import type { Admin } from 'kafkajs';
import { retry } from '../../support/resilience/retry.ts';
import {
  TopicMismatch,
  TransportUnavailable,
  type TopicDefinition,
  type TopicPartition,
} from '../../ports/transport.ts';
import { openClient } from './client.ts';
import { partitionKey, type PartitionOffset } from './partition-offsets.ts';
import { hasType, KafkaRefused, translate } from './errors.ts';
import { maxBatchBytes, type KafkaTransportOptions } from './options.ts';

const attempts = 6;
/** Attempts of kafkajs for calls that this class repeats itself. */
const fewAttempts = 1;
const pollMs = 50;
const visibleMs = 10_000;
const leaderMs = 3_000;

/** Creates topics and counts their partitions. */
export class Topics {
  readonly #options: KafkaTransportOptions;
  /** Cached, because a topic's number of partitions never changes. */
  readonly #partitions = new Map<string, Promise<number>>();

  constructor(options: KafkaTransportOptions) {
    this.#options = options;
  }

  /** Resolves if a broker answers and accepts the login. */
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
      // Resolves with false if another process was faster.
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
   * Offset of each partition's last record, or of the next one if the partition is empty. Rejects after a short attempt, but
   * waits for leaders that are being elected, such as those of a new topic.
   */
  async lastOffsets(partitions: readonly TopicPartition[]): Promise<PartitionOffset[]> {
    return retry(() => this.#withAdmin((admin) => lastOffsets(admin, partitions), fewAttempts), {
      firstMs: pollMs,
      deadlineMs: leaderMs,
      isRetryable: (error) => hasType(error, 'NOT_LEADER_FOR_PARTITION'),
    });
  }

  async #count(topic: string): Promise<number> {
    const count = await this.#withAdmin((admin) => countPartitions(admin, topic));
    if (count === undefined) throw new KafkaRefused(`there is no topic ${topic}: ensureTopics creates it`);
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
      // Kafka would refuse records with the producer's time if its clock is ahead. The time of an event is in its header.
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

async function lastOffsets(admin: Admin, partitions: readonly TopicPartition[]): Promise<PartitionOffset[]> {
  const offsets = new Map<string, string>();
  for (const topic of new Set(partitions.map((partition) => partition.topic)))
    for (const { partition, low, high } of await admin.fetchTopicOffsets(topic))
      offsets.set(partitionKey({ topic, partition }), low === high ? high : String(BigInt(high) - 1n));
  return partitions.map(({ topic, partition }) => {
    const key = partitionKey({ topic, partition });
    const offset = offsets.get(key);
    if (offset === undefined) throw new TransportUnavailable(`Kafka did not return the end of ${key}`);
    return { topic, partition, offset };
  });
}

/** Undefined if the topic does not exist, or some of its partitions have no leader yet. */
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

class NotServedYet extends Error {
  override readonly name = 'NotServedYet';
}

/** Waits until a created topic is visible at the brokers, which takes a moment. */
async function untilVisible(admin: Admin, topic: string): Promise<number> {
  const count = async (): Promise<number> => {
    const found = await countPartitions(admin, topic);
    if (found === undefined) throw new NotServedYet(`the topic ${topic} was created but is not served`);
    return found;
  };
  return retry(count, {
    firstMs: pollMs,
    deadlineMs: visibleMs,
    isRetryable: (error) => error instanceof NotServedYet,
  });
}

function refuseOther({ name, partitions }: TopicDefinition, found: number): void {
  if (found !== partitions)
    throw new TopicMismatch(
      `the topic ${name} has ${found} partitions and must have ${partitions}: the number cannot be changed, because each key must keep its partition`,
    );
}
