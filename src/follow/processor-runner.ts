import { leaseRenewalMs, type Leases } from '../ports/leases.ts';
import { inBackground } from '../support/background.ts';
import { pause } from '../support/pause.ts';
import { Backoff } from '../support/resilience/backoff.ts';
import { HeldLease } from './held-lease.ts';
import {
  CheckpointMoved,
  LeaseLost,
  type EventProcessor,
  type ProcessorStatus,
  type Term,
} from './processor.ts';

export interface ProcessorRunnerOptions {
  readonly leases: Leases;
  /**
   * Receives every error; the processor is run again in any case. A checkpoint that another process has moved is not reported: it is read
   * again.
   */
  readonly onError: (error: unknown) => void;
  /** Called whenever the checkpoint has moved. */
  readonly onProgress?: () => void;
}

/**
 * Runs one processor in this process: takes its lease, runs it while the lease is held, and runs it again after a
 * growing pause if it fails. Every processor of the program is run by this loop.
 */
export class ProcessorRunner {
  readonly processor: EventProcessor;
  readonly #options: ProcessorRunnerOptions;
  readonly #stop = new AbortController();
  readonly #backoff = new Backoff({ firstMs: 200, longestMs: 5_000, jitter: 0.5 });
  #running: Promise<void> | undefined;
  #state: ProcessorStatus['state'] = 'standby';
  #error: string | undefined;
  #position: number | undefined;

  constructor(processor: EventProcessor, options: ProcessorRunnerOptions) {
    this.processor = processor;
    this.#options = options;
  }

  start(): void {
    this.#running ??= inBackground(() => this.#run());
  }

  /** Ends the current term and releases the lease, so that another process can continue at once. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  get status(): ProcessorStatus {
    return {
      name: this.processor.name,
      state: this.#state,
      ...(this.#position !== undefined && { position: this.#position }),
      ...(this.#error !== undefined && { error: this.#error }),
    };
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#runTerm();
      } catch (error) {
        if (signal.aborted) break;
        await this.#recover(error);
      }
    }
    await this.#release();
  }

  async #recover(error: unknown): Promise<void> {
    const { signal } = this.#stop;
    this.#report(error);
    if (error instanceof LeaseLost) {
      this.#become('standby');
      await pause(leaseRenewalMs, signal);
      return;
    }
    if (!(error instanceof CheckpointMoved)) {
      this.#become('failing', error instanceof Error ? error.message : String(error));
      // Another process may reach what this one cannot.
      await this.#release();
    }
    await this.#backoff.pause(signal);
  }

  #report(error: unknown): void {
    if (!(error instanceof CheckpointMoved)) this.#options.onError(error);
  }

  async #runTerm(): Promise<void> {
    const { leases, onError } = this.#options;
    const { name, sharing } = this.processor;
    if (sharing === 'group') return this.#runWith(undefined);
    const lease = await HeldLease.take(leases, name, onError);
    if (!lease) {
      this.#become('standby');
      return pause(leaseRenewalMs, this.#stop.signal);
    }
    try {
      await this.#runWith(lease);
    } finally {
      await lease.end();
    }
  }

  /** Rejects with the reason for which the term ended, unless the processor was stopped. */
  async #runWith(lease: HeldLease | undefined): Promise<void> {
    const failed = new AbortController();
    const signal = AbortSignal.any([this.#stop.signal, failed.signal, ...(lease ? [lease.lost] : [])]);
    const term: Term = {
      epoch: lease?.epoch ?? 0,
      signal,
      began: (checkpoint) => {
        this.#position = checkpoint;
        this.#become('active');
      },
      reached: (position) => {
        this.#position = position;
        this.#backoff.reset();
        this.#options.onProgress?.();
      },
      get isHeld() {
        return lease?.isHeld ?? true;
      },
      report: (error) => this.#report(error),
      fail: (error) => failed.abort(error),
    };
    await this.processor.run(term).catch((error: unknown) => term.fail(error));
    const hasFailed = signal.aborted && !this.#stop.signal.aborted;
    const reason: unknown = signal.reason;
    // Ends what the processor may have left running.
    failed.abort();
    if (hasFailed) throw reason;
  }

  async #release(): Promise<void> {
    await this.#options.leases.release(this.processor.name).catch(() => undefined);
  }

  #become(state: ProcessorStatus['state'], error?: string): void {
    this.#state = state;
    this.#error = error;
  }
}
