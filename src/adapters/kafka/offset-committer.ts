import type { TopicPartition } from '../../ports/transport.ts';
import { byTopic, partitionKey, type PartitionOffset } from './partition-offsets.ts';

/**
 * Time between two requests. Records that were handled but not committed when a member dies are delivered again; consumers
 * skip them by their position.
 */
const restMs = 500;

/** The request format of kafkajs. */
export interface CommitRequest {
  readonly topics: { topic: string; partitions: { partition: number; offset: string }[] }[];
}

export interface OffsetCommitterOptions {
  /** Whether this member still holds the partition: offsets of others are not committed. */
  readonly holds: (place: TopicPartition) => boolean;
  /** Called for a failed request; its offsets are sent with the next one. */
  readonly onError: (error: unknown) => void;
}

type Send = (request: CommitRequest) => Promise<void>;

/** Commits offsets a few times a second, so that many busy partitions need few requests. */
export class OffsetCommitter {
  readonly #options: OffsetCommitterOptions;
  #waiting = new Map<string, PartitionOffset>();
  #send: Send | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sent: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: OffsetCommitterOptions) {
    this.#options = options;
  }

  /** Schedules the offset for the next request, which is sent by the `send` that was passed last. */
  add(next: PartitionOffset, send: Send): void {
    if (this.#isClosed) return;
    this.#waiting.set(partitionKey(next), next);
    this.#send = send;
    this.#timer ??= setTimeout(() => void this.flush(), restMs);
  }

  /** Sends all scheduled offsets; resolves when the request has succeeded or failed. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sent = this.#sent.then(() => this.#commit());
    return this.#sent;
  }

  /** Drops the scheduled offsets after a rebalance: the next holder of a partition commits its offset. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = new Map();
  }

  /** Ends the session: handlers that outlive it commit nothing. */
  close(): void {
    this.#isClosed = true;
    this.forget();
  }

  async #commit(): Promise<void> {
    const waiting = this.#waiting;
    const offsets = [...waiting.values()].filter(this.#options.holds);
    waiting.clear();
    if (offsets.length === 0) return;
    try {
      await this.#send!({
        topics: byTopic(offsets, ({ partition, offset }) => ({ partition, offset })),
      });
    } catch (error) {
      this.#options.onError(error);
      // After `forget` an old offset must not be scheduled again behind a newer one.
      if (waiting !== this.#waiting) return;
      for (const next of offsets) if (!waiting.has(partitionKey(next))) this.add(next, this.#send!);
    }
  }
}
