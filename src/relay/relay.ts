import type { EventLog } from '../ports/event-log.ts';
import { leaseRenewalMs, leaseTtlMs, type Leases } from '../ports/leases.ts';
import { pause } from '../support/pause.ts';
import type { Sql } from '../ports/sql.ts';
import type { Transport } from '../ports/transport.ts';
import { Checkpoint } from './checkpoint.ts';
import { readLag, type RelayLag } from './lag.ts';
import { relayLease, Term, TermOver } from './term.ts';
import { Throughput } from './throughput.ts';

const firstPauseMs = 200;
const longestPauseMs = 5_000;

export interface RelayOptions {
  readonly log: EventLog;
  readonly transport: Transport;
  /** Holds the tables of `relaySchema`. */
  readonly sql: Sql;
  readonly leases: Leases;
  /** Of the topics' names. */
  readonly prefix: string;
  /** Told of every failure; the relay goes on by itself. */
  readonly onError: (error: unknown) => void;
}

export interface RelayStatus extends RelayLag {
  /** `active` publishes, `standby` waits while another process does, `failing` waits to try again. */
  readonly state: 'active' | 'standby' | 'failing';
  /** By this process, acknowledged by the brokers, repetitions among them. */
  readonly publishedEvents: number;
  /** Those of them that were too large to be sent with their data. */
  readonly withheldEvents: number;
  /** Over the last 10 s. */
  readonly eventsPerSecond: number;
  /** Why it is failing. */
  readonly error?: string;
}

/**
 * Publishes the log to the topics: one process at a time, the others stand by. Every event goes out at least once and
 * in order; what was not written down as published when a process ends goes out again.
 */
export class Relay {
  readonly #options: RelayOptions;
  readonly #checkpoint: Checkpoint;
  readonly #published = new Throughput();
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #withheld = 0;
  #state: RelayStatus['state'] = 'standby';
  #error: string | undefined;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#checkpoint = new Checkpoint(options.sql, options.log.logId, options.prefix);
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Waits, for some seconds at most, for what is under way, and lets another process go on at once. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Rejects where the log or the database does not answer. */
  async status(): Promise<RelayStatus> {
    return {
      state: this.#state,
      ...(await readLag(this.#options.log, this.#checkpoint)),
      publishedEvents: this.#published.total,
      withheldEvents: this.#withheld,
      eventsPerSecond: this.#published.perSecond,
      ...(this.#error !== undefined && { error: this.#error }),
    };
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    let pauseMs = firstPauseMs;
    while (!signal.aborted) {
      const published = this.#published.total;
      try {
        await this.#serve(signal);
      } catch (error) {
        this.#become('failing', error instanceof Error ? error.message : String(error));
        this.#options.onError(error);
        // So that a process may try that reaches what this one does not.
        await this.#options.leases.release(relayLease).catch(() => undefined);
        if (this.#published.total > published) pauseMs = firstPauseMs;
        await pause(pauseMs * (0.5 + Math.random()), signal);
        pauseMs = Math.min(2 * pauseMs, longestPauseMs);
      }
    }
    await this.#options.leases.release(relayLease).catch(() => undefined);
  }

  /** Returns after a turn of waiting: another process is the relay, or took this one's term for over. */
  async #serve(signal: AbortSignal): Promise<void> {
    const { leases, onError } = this.#options;
    const askedAt = performance.now();
    const epoch = await leases.hold(relayLease);
    if (epoch === undefined) {
      this.#become('standby');
      return pause(leaseRenewalMs, signal);
    }
    const options = {
      ...this.#options,
      checkpoint: this.#checkpoint,
      onBegin: () => this.#become('active'),
      onPublished: (events: number, withheld: number) => {
        this.#published.add(events);
        this.#withheld += withheld;
      },
    };
    const reason = await new Term(options, epoch, askedAt + leaseTtlMs, signal).run();
    if (signal.aborted) return;
    if (!(reason instanceof TermOver)) throw reason;
    this.#become('standby');
    onError(reason);
    await pause(leaseRenewalMs, signal);
  }

  #become(state: RelayStatus['state'], error?: string): void {
    this.#state = state;
    this.#error = error;
  }
}
