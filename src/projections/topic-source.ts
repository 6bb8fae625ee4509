import { kindsOfTypes, topicName, topicsOf } from '../domain/contract/topics.ts';
import type { EventStore } from '../ports/event-store.ts';
import { leaseRenewalMs, type Leases } from '../ports/leases.ts';
import type { Sql } from '../ports/sql.ts';
import type { Surface } from '../ports/surface.ts';
import type { Transport } from '../ports/transport.ts';
import type { EventProcessor, Term } from '../follow/processor.ts';
import { pause } from '../support/pause.ts';
import { CheckpointWriter } from '../follow/checkpoint-writer.ts';
import type { Generation } from './generation.ts';
import { LogSource } from './log-source.ts';
import type { Projection } from './projection.ts';
import { LogGaps } from './log-gaps.ts';
import { OpenedCache } from './opened-cache.ts';
import type { Partitioning } from '../follow/partitions.ts';
import type { Source } from './source.ts';
import { TopicConsumer, type TopicServices } from './topic-consumer.ts';
import { topicPartitioning } from './topic-partitions.ts';

/** Where the relay publishes the log. */
export interface Topics {
  readonly transport: Transport;
  readonly prefix: string;
}

/**
 * The topics that the relay fills. Each generation is a consumer group, so any number of processes share its partitions. The lease of
 * a generation excludes no process: it only shows that some process has partitions of it.
 */
export class TopicSource implements Source {
  readonly #partitioning: Partitioning;
  /** For projections that need the order of the log. */
  readonly #log: LogSource;
  readonly #topics: Topics;
  readonly #leases: Leases;
  readonly #services: TopicServices;

  constructor(topics: Topics, sql: Sql, store: EventStore, leases: Leases) {
    this.#partitioning = topicPartitioning(topics.transport);
    this.#log = new LogSource(sql, store);
    this.#topics = topics;
    this.#leases = leases;
    const opened = new OpenedCache(store);
    this.#services = {
      log: store.log,
      checkpointWriter: new CheckpointWriter(sql, { lingerMs: 5, restMs: 60 }),
      opened,
      gaps: new LogGaps(store.log, opened),
      prefix: topics.prefix,
    };
  }

  get surfaces(): readonly Surface[] {
    return [this.#services.opened, ...this.#log.surfaces];
  }

  partitioningOf({ ordered }: Projection): Partitioning {
    return ordered ? this.#log.partitioningOf() : this.#partitioning;
  }

  /** The consumers of a process share only caches. */
  follow(signal: AbortSignal): Promise<void> {
    return this.#log.follow(signal);
  }

  processorOf(generation: Generation): EventProcessor {
    if (generation.projection.ordered) return this.#log.processorOf(generation);
    return { name: generation.key, sharing: 'group', run: (term) => this.#run(generation, term) };
  }

  async #run(generation: Generation, term: Term): Promise<void> {
    const { transport, prefix } = this.#topics;
    const { signal } = term;
    const { name, handles } = generation.projection;
    // A group that subscribes to topics which do not exist would start again and again.
    await transport.ensureTopics(topicsOf(prefix));
    const consumer = new TopicConsumer(generation, this.#services, signal, () => term.reached());
    term.began();
    const announcing = this.#announceRegularly(generation.key, consumer, signal);
    await transport.consume({
      group: `${prefix}.${name}.${generation.number}`,
      topics: kindsOfTypes(handles).map((kind) => topicName(prefix, kind)),
      from: 'assignment',
      assigned: async (partitions) => {
        await consumer.assigned(partitions);
        await this.#announce(generation.key);
      },
      revoked: (partitions) => consumer.revoked(partitions),
      handle: (batch) => consumer.handle(batch),
      onError: (error) => term.report(error),
      signal,
    });
    await announcing;
  }

  async #announceRegularly(key: string, consumer: TopicConsumer, signal: AbortSignal): Promise<void> {
    for (; !signal.aborted; await pause(leaseRenewalMs, signal)) {
      if (consumer.hasPartitions) await this.#announce(key);
    }
  }

  async #announce(key: string): Promise<void> {
    await this.#leases.hold(key).catch(() => undefined);
  }
}
