import type { Message, Producer, ProducerBatch } from 'kafkajs';
import { TransportUnavailable } from '../../ports/transport.ts';
import { openClient, type KafkaClient } from './client.ts';
import { retries, type KafkaTransportOptions } from './options.ts';
import { partitionKey } from './partition-offsets.ts';

const attempts = 3;

/** A record with its topic and partition. */
export interface PlacedRecord extends Message {
  readonly topic: string;
  readonly partition: number;
}

/**
 * An idempotent producer: the broker recognises a batch that is sent again. That holds only for the same batch: kafkajs reuses the
 * sequence numbers of a failed batch, so the broker would take a different batch for the failed one and drop it. After a rejection
 * the caller must repeat exactly that batch, or close this producer and open another.
 */
export class IdempotentProducer {
  readonly #client: KafkaClient;
  readonly #producer: Producer;
  #connected: Promise<void> | undefined;

  constructor(options: KafkaTransportOptions) {
    this.#client = openClient(options, attempts);
    this.#producer = this.#client.kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      retry: { ...retries, retries: attempts },
      createPartitioner:
        () =>
        ({ message }) =>
          message.partition!,
    });
  }

  /** Resolves when every in-sync replica has all records; rejects with errors of kafkajs. Not to be called concurrently. */
  async send(records: readonly PlacedRecord[]): Promise<void> {
    this.#connected ??= this.#producer.connect();
    await this.#connected.catch((error: unknown) => {
      this.#connected = undefined;
      throw error;
    });
    const written = await this.#producer.sendBatch(batchOf(records));
    const acknowledged = new Set(
      written.map(({ topicName: topic, partition }) => partitionKey({ topic, partition })),
    );
    // If a partition's leader changes between two attempts of kafkajs, both leave the partition out without an error.
    if (records.some((record) => !acknowledged.has(partitionKey(record))))
      throw new TransportUnavailable('Kafka did not acknowledge every partition');
  }

  close(): Promise<void> {
    return this.#client.close(this.#producer);
  }

  cut(): void {
    this.#client.cut();
  }
}

function batchOf(records: readonly PlacedRecord[]): ProducerBatch {
  const byTopic = new Map<string, Message[]>();
  for (const { topic, ...message } of records) {
    const messages = byTopic.get(topic) ?? [];
    byTopic.set(topic, messages);
    messages.push(message);
  }
  const topicMessages = [...byTopic].map(([topic, messages]) => ({ topic, messages }));
  return { acks: -1, topicMessages };
}
