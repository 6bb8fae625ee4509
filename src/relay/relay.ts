import type { EventLog } from '../ports/event-log.ts';
import type { Leases } from '../ports/leases.ts';
import type { Sql } from '../ports/sql.ts';
import type { Transport } from '../ports/transport.ts';
import { ProcessorRunner } from '../follow/processor-runner.ts';
import { RelayCheckpoint } from './checkpoint.ts';
import { relayProcessor } from './publication.ts';

export interface RelayOptions {
  readonly log: EventLog;
  readonly transport: Transport;
  /** Holds the tables of `relaySchema`. */
  readonly sql: Sql;
  readonly leases: Leases;
  /** Prefix of the topic names. */
  readonly prefix: string;
  /** Receives every failure; the relay continues by itself. */
  readonly onError: (error: unknown) => void;
}

export interface RelayStatus extends RelayLag {
  /** `active` publishes, `standby` waits while another process does, `failing` waits to try again. */
  readonly state: 'active' | 'standby' | 'failing';
  /** Published by this process and acknowledged by the brokers, repetitions included. */
  readonly publishedEvents: number;
  /** Number of these events that were too large to be sent with their data. */
  readonly withheldEvents: number;
  /** Over the last 10 s. */
  readonly eventsPerSecond: number;
  /** Why it is failing. */
  readonly error?: string;
}

/**
 * Publishes the log to the topics: one process at a time, the others stand by. Every event is published at least once and in order;
 * events that are not covered by the checkpoint when a process ends are published again.
 */
export class Relay {
  readonly #log: EventLog;
  readonly #checkpoint: RelayCheckpoint;
  readonly #published = new Throughput();
  readonly #runner: ProcessorRunner;
  #withheld = 0;

  constructor({ log, transport, sql, leases, prefix, onError }: RelayOptions) {
    this.#log = log;
    this.#checkpoint = new RelayCheckpoint(sql, log.logId, prefix);
    const onPublished = (events: number, withheld: number): void => {
      this.#published.add(events);
      this.#withheld += withheld;
    };
    const processor = relayProcessor({ log, transport, checkpoint: this.#checkpoint, prefix, onPublished });
    this.#runner = new ProcessorRunner(processor, { leases, onError });
  }

  start(): void {
    this.#runner.start();
  }

  /** Waits up to some seconds for batches in flight, then releases the lease so that another process can continue at once. */
  async stop(): Promise<void> {
    await this.#runner.stop();
  }

  /** Rejects if the log or the database is unavailable. */
  async status(): Promise<RelayStatus> {
    const { state, error } = this.#runner.status;
    return {
      state,
      ...(await readLag(this.#log, this.#checkpoint)),
      publishedEvents: this.#published.total,
      withheldEvents: this.#withheld,
      eventsPerSecond: this.#published.perSecond,
      ...(error !== undefined && { error }),
    };
  }
}

interface RelayLag {
  /** Everything in the log up to this position is in Kafka. */
  readonly checkpoint: number;
  /** Distance to the head: events in the SQL log, bytes in KurrentDB, whose positions are offsets. */
  readonly positionsBehind: number;
  /** Age of the oldest event that is not known to be in Kafka; 0 if there is none. */
  readonly secondsBehind: number;
}

/** How far the topics are behind the log. Any process can compute it. Rejects if the log or the database is unavailable. */
async function readLag(log: EventLog, checkpoint: RelayCheckpoint): Promise<RelayLag> {
  const position = await checkpoint.read();
  const head = await log.head();
  if (head <= position) return { checkpoint: position, positionsBehind: 0, secondsBehind: 0 };
  const { events } = await log.readAll({ after: position, limit: 1 });
  const oldest = events[0]?.time.getTime() ?? Date.now();
  return {
    checkpoint: position,
    positionsBehind: head - position,
    secondsBehind: Math.max(0, Date.now() - oldest) / 1_000,
  };
}

const windowMs = 10_000;

/** Counts events in total, and their rate over the last ten seconds. */
class Throughput {
  readonly #recent: { readonly at: number; readonly count: number }[] = [];
  #total = 0;

  add(count: number): void {
    this.#total += count;
    this.#recent.push({ at: performance.now(), count });
    this.#forget();
  }

  get total(): number {
    return this.#total;
  }

  get perSecond(): number {
    this.#forget();
    return this.#recent.reduce((sum, { count }) => sum + count, 0) / (windowMs / 1_000);
  }

  #forget(): void {
    const since = performance.now() - windowMs;
    const kept = this.#recent.findIndex(({ at }) => at >= since);
    this.#recent.splice(0, kept === -1 ? this.#recent.length : kept);
  }
}
