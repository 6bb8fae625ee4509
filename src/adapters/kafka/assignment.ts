import { retry } from '../../support/resilience/retry.ts';
import type { AssignedPartition, ConsumeOptions, TopicPartition } from '../../ports/transport.ts';

const backoff = { firstMs: 200, longestMs: 5000 };

type LocatePartitions = (partitions: readonly TopicPartition[]) => Promise<readonly AssignedPartition[]>;

/** The partitions that a group member holds from one rebalance to the next. */
export class Assignment {
  readonly partitions: readonly TopicPartition[];
  /** Resolves once the member may process the partitions, or has lost them. */
  readonly ready: Promise<void>;
  readonly #options: ConsumeOptions;
  readonly #over = new AbortController();

  /**
   * `settled` resolves when no handler runs any more for partitions that were assigned to this member before. `locate` finds the
   * offsets to read from; it is called before each call of `assigned`.
   */
  constructor(
    options: ConsumeOptions,
    partitions: readonly TopicPartition[],
    settled: Promise<void>,
    locate: LocatePartitions,
  ) {
    this.#options = options;
    this.partitions = partitions;
    this.ready = this.#begin(settled, locate);
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  get lost(): boolean {
    return this.#over.signal.aborted;
  }

  holds({ topic, partition }: TopicPartition): boolean {
    return this.partitions.some((own) => own.topic === topic && own.partition === partition);
  }

  end(): void {
    if (this.lost) return;
    this.#over.abort();
    if (this.partitions.length === 0) return;
    try {
      this.#options.revoked?.(this.partitions);
    } catch (error) {
      this.#options.onError?.(error);
    }
  }

  /** Repeats `work` until it succeeds. Resolves with false if the partitions were lost or the member left before that. */
  async untilDone(work: () => Promise<void>): Promise<boolean> {
    if (this.lost) return false;
    const signal = AbortSignal.any([this.#options.signal, this.#over.signal]);
    try {
      await retry(() => this.#reporting(work), { ...backoff, signal });
      return true;
    } catch {
      return false;
    }
  }

  async #reporting(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.lost) this.#options.onError?.(error);
      throw error;
    }
  }

  async #begin(settled: Promise<void>, locate: LocatePartitions): Promise<void> {
    await settled;
    if (this.partitions.length > 0 && !this.#options.signal.aborted)
      await this.untilDone(async () => this.#options.assigned?.(await locate(this.partitions)));
  }
}
