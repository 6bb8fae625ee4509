import type { Message, Producer, ProducerBatch } from 'kafkajs';
import { TransportUnavailable } from '../../ports/transport.ts';
import { openClient, type KafkaClient } from './client.ts';
import { retries, type KafkaTransportOptions } from './options.ts';

const attempts = 3;

/** A record with its place. */
export interface PlacedRecord extends Message {
  readonly topic: string;
  readonly partition: number;
}

/**
 * An idempotent producer: the broker knows a batch that it is sent again. It holds for the same batch only. The package
 * takes the numbers of a failed batch back, so that another batch sent after it would pass for it and be dropped:
 * whoever gets a rejection repeats that very batch, or closes this producer and opens another.
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

  /** Resolves when every in-sync replica has all records; rejects with the package's errors. Never twice at a time. */
  async send(records: readonly PlacedRecord[]): Promise<void> {
    this.#connected ??= this.#producer.connect();
    await this.#connected.catch((error: unknown) => {
      this.#connected = undefined;
      throw error;
    });
    const written = await this.#producer.sendBatch(batchOf(records));
    const places = new Set(written.map(({ topicName, partition }) => placeOf(topicName, partition)));
    // A partition whose leader changes between two tries of the package is left out of both, without an error.
    if (records.some(({ topic, partition }) => !places.has(placeOf(topic, partition))))
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

const placeOf = (topic: string, partition: number): string => `${topic}/${partition}`;
