import { kindsOfTypes, topicName, topicsOf } from '../domain/contract/topics.ts';
import type { EventStore } from '../ports/event-store.ts';
import { leaseRenewalMs, type LeaseHolder, type Leases } from '../ports/leases.ts';
import { pause } from '../support/pause.ts';
import type { Sql } from '../ports/sql.ts';
import type { Transport } from '../ports/transport.ts';
import { Advances } from './advances.ts';
import { BookmarkMoved } from './bookmarks.ts';
import type { Generation } from './generation.ts';
import { LogGaps } from './log-gaps.ts';
import { OpenedCache } from './opened-cache.ts';
import type { Partitioning } from './partitions.ts';
import type { Source, SourceReports } from './source.ts';
import { TopicConsumer, type TopicServices } from './topic-consumer.ts';
import { topicPartitioning } from './topic-partitions.ts';

const retryMs = 1_000;

/** Where the relay publishes the log. */
export interface Topics {
  readonly transport: Transport;
  readonly prefix: string;
}

/**
 * The topics that the relay fills: a consumer group for each generation, so that any number of processes share its
 * partitions. Its lease says only that somebody works on it.
 */
export class TopicSource implements Source {
  readonly partitioning: Partitioning;
  readonly #topics: Topics;
  readonly #leases: Leases;
  readonly #reports: SourceReports;
  readonly #services: TopicServices;
  readonly #consumers = new Map<string, TopicConsumer>();

  constructor(topics: Topics, sql: Sql, store: EventStore, leases: Leases, reports: SourceReports) {
    this.partitioning = topicPartitioning(topics.transport);
    this.#topics = topics;
    this.#leases = leases;
    this.#reports = reports;
    const opened = new OpenedCache(store);
    this.#services = {
      log: store.log,
      advances: new Advances(sql, { gatherMs: 5, restMs: 60 }),
      opened,
      gaps: new LogGaps(store.log, opened),
      prefix: topics.prefix,
      onStep: reports.onStep,
    };
  }

  /** Tells who works on what. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      for (const [key, consumer] of this.#consumers) if (consumer.works) await this.#tell(key);
      await pause(leaseRenewalMs, signal);
    }
  }

  async run(generation: Generation, signal: AbortSignal): Promise<void> {
    const { transport, prefix } = this.#topics;
    const { name, handles } = generation.projection;
    const onError = (error: unknown): void => {
      if (!(error instanceof BookmarkMoved)) this.#reports.onError(name, error);
    };
    await this.#untilTopicsAreThere(onError, signal);
    const consumer = new TopicConsumer(generation, this.#services, signal);
    this.#consumers.set(generation.key, consumer);
    const consuming = transport.consume({
      group: `${prefix}.${name}.${generation.number}`,
      topics: kindsOfTypes(handles).map((kind) => topicName(prefix, kind)),
      from: 'assignment',
      assigned: async (partitions) => {
        await consumer.assigned(partitions);
        await this.#tell(generation.key);
      },
      revoked: (partitions) => consumer.revoked(partitions),
      handle: (batch) => consumer.handle(batch),
      onError,
      signal,
    });
    // Only a transport that was closed rejects.
    await consuming.catch(onError);
    this.#consumers.delete(generation.key);
    await this.#leases.release(generation.key).catch(() => undefined);
  }

  holders(): Promise<Map<string, LeaseHolder>> {
    return this.#leases.holders();
  }

  async #tell(key: string): Promise<void> {
    await this.#leases.hold(key).catch(() => undefined);
  }

  /** A group of topics that are not there would begin again and again. */
  async #untilTopicsAreThere(onError: (error: unknown) => void, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        return await this.#topics.transport.ensureTopics(topicsOf(this.#topics.prefix));
      } catch (error) {
        onError(error);
        await pause(retryMs, signal);
      }
    }
  }
}
