import { pause } from '../../support/pause.ts';
import type { AssignedPartition, ConsumeOptions, TopicPartition } from '../../ports/transport.ts';

const firstRetryMs = 200;
const longestRetryMs = 5000;

type LocatePartitions = (partitions: readonly TopicPartition[]) => Promise<readonly AssignedPartition[]>;

/** The partitions that one member of a group holds from one rebalance to the next. */
export class Assignment {
  readonly partitions: readonly TopicPartition[];
  /** Resolves once the member may work on them, or has lost them. */
  readonly ready: Promise<void>;
  readonly #options: ConsumeOptions;
  readonly #over = new AbortController();

  /**
   * `settled` resolves when nothing works any more on partitions that this member was given before. `locate` finds where
   * they are read from: each time anew before `assigned` is called.
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

  /** Does `work` until it succeeds. False where the partitions were lost, or the member left, before that. */
  async insist(work: () => Promise<void>): Promise<boolean> {
    const { signal, onError } = this.#options;
    for (let wait = firstRetryMs; !this.lost; wait = Math.min(wait * 2, longestRetryMs)) {
      try {
        await work();
        return true;
      } catch (error) {
        if (!this.lost) onError?.(error);
      }
      if (signal.aborted) return false;
      await pause(wait, AbortSignal.any([signal, this.#over.signal]));
      if (signal.aborted) return false;
    }
    return false;
  }

  async #begin(settled: Promise<void>, locate: LocatePartitions): Promise<void> {
    await settled;
    if (this.partitions.length > 0 && !this.#options.signal.aborted)
      await this.insist(async () => this.#options.assigned?.(await locate(this.partitions)));
  }
}
