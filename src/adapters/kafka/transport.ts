import { pause } from '../../support/pause.ts';
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
import { Session, type Busy } from './session.ts';
import { Topics } from './topics.ts';

export type { KafkaLogin, KafkaTransportOptions } from './options.ts';

const firstRestartMs = 200;
const longestRestartMs = 5000;
/** A session that lasted so long was a good one: the next failure is a new one. */
const steadyMs = 30_000;

/**
 * Connects to Kafka. Rejects with `TransportUnavailable` where no broker can be reached (not retried here), with
 * `KafkaRefused` where they do not take the login.
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

  /** One session after another, until the caller leaves; then nothing of them works any more. */
  async #consume(options: ConsumeOptions): Promise<void> {
    const { signal, onError } = options;
    const busy: Busy = new Map();
    let ready = Promise.resolve();
    let wait = firstRestartMs;
    while (!signal.aborted) {
      const begun = Date.now();
      const session = new Session(this.#options, options, this.#topics, busy, ready);
      await session.run().catch((error: unknown) => {
        // Of a broker that has just started: the next session finds it ready.
        if (!hasType(error, 'GROUP_LOAD_IN_PROGRESS')) onError?.(translate(error));
      });
      ready = session.ready;
      if (signal.aborted) break;
      if (Date.now() - begun > steadyMs) wait = firstRestartMs;
      await pause(wait, signal);
      wait = Math.min(wait * 2, longestRestartMs);
    }
    await Promise.all([ready, ...busy.values()]);
  }

  #refuseClosed(): void {
    if (this.#closing.signal.aborted) throw new TransportUnavailable('the transport was closed');
  }
}
