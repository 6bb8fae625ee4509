import { Backoff } from '../../support/resilience/backoff.ts';
import {
  TransportUnavailable,
  type ConsumeOptions,
  type OutgoingRecord,
  type TopicDefinition,
  type Transport,
} from '../../ports/transport.ts';
import { hasType, translate } from './errors.ts';
import { partitionOf } from './murmur2.ts';
import type { KafkaTransportOptions } from './options.ts';
import { Publisher } from './publisher.ts';
import { Session, type RunningHandlers } from './session.ts';
import { Topics } from './topics.ts';

export type { KafkaLogin, KafkaTransportOptions } from './options.ts';

/** Pause between two sessions of a consumer. */
const restart = { firstMs: 200, longestMs: 5000 };
/** A session that lasted this long resets the back-off. */
const steadyMs = 30_000;

/**
 * Connects to Kafka. Rejects with `TransportUnavailable` if no broker can be reached (not retried here), and with
 * `KafkaRefused` if the login is not accepted.
 */
export async function openKafkaTransport(options: KafkaTransportOptions): Promise<Transport> {
  const topics = new Topics(options);
  await topics.check();
  return new KafkaTransport(options, topics);
}

class KafkaTransport implements Transport {
  readonly #options: KafkaTransportOptions;
  readonly #topics: Topics;
  readonly #publisher: Publisher;
  readonly #closing = new AbortController();
  readonly #consuming = new Set<Promise<void>>();

  constructor(options: KafkaTransportOptions, topics: Topics) {
    this.#options = options;
    this.#topics = topics;
    this.#publisher = new Publisher(options, (topic) => topics.partitions(topic));
  }

  async ensureTopics(topics: readonly TopicDefinition[]): Promise<void> {
    this.#refuseClosed();
    await this.#topics.ensure(topics);
  }

  async partitions(topic: string): Promise<number> {
    this.#refuseClosed();
    return this.#topics.partitions(topic);
  }

  partitionOf(key: string, partitions: number): number {
    return partitionOf(key, partitions);
  }

  publish(records: readonly OutgoingRecord[]): Promise<void> {
    return this.#publisher.publish(records);
  }

  async consume(options: ConsumeOptions): Promise<void> {
    this.#refuseClosed();
    const signal = AbortSignal.any([options.signal, this.#closing.signal]);
    const consuming = this.#consume({ ...options, signal });
    this.#consuming.add(consuming);
    try {
      await consuming;
    } finally {
      this.#consuming.delete(consuming);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#publisher.close(), Promise.allSettled(this.#consuming)]);
  }

  /** Runs one session after another until the caller aborts. Resolves when no handler runs any more. */
  async #consume(options: ConsumeOptions): Promise<void> {
    const { signal, onError } = options;
    const running: RunningHandlers = new Map();
    let ready = Promise.resolve();
    const backoff = new Backoff(restart);
    while (!signal.aborted) {
      const startedAt = performance.now();
      const session = new Session(this.#options, options, this.#topics, running, ready);
      await session.run().catch((error: unknown) => {
        // The broker has just started and will be ready for the next session.
        if (!hasType(error, 'GROUP_LOAD_IN_PROGRESS')) onError?.(translate(error));
      });
      ready = session.ready;
      if (signal.aborted) break;
      if (performance.now() - startedAt > steadyMs) backoff.reset();
      await backoff.pause(signal);
    }
    await Promise.all([ready, ...running.values()]);
  }

  #refuseClosed(): void {
    if (this.#closing.signal.aborted) throw new TransportUnavailable('the transport was closed');
  }
}
