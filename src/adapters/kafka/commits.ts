import type { TopicPartition } from '../../ports/transport.ts';
import { byTopic, placeOf, type PartitionOffset } from './places.ts';

/**
 * Between two requests. What was done and not committed when a member dies comes again: whoever takes records by their
 * position passes it over.
 */
const restMs = 500;

/** As the package takes them. */
export interface CommitRequest {
  readonly topics: { topic: string; partitions: { partition: number; offset: string }[] }[];
}

export interface CommitsOptions {
  /** A partition that was lost meanwhile is left out. */
  readonly holds: (place: TopicPartition) => boolean;
  /** Told of a request that failed; its offsets go with the next one. */
  readonly onError: (error: unknown) => void;
}

type Send = (request: CommitRequest) => Promise<void>;

/** Commits what is done a few times a second: many partitions that move often are few requests. */
export class Commits {
  readonly #options: CommitsOptions;
  #waiting = new Map<string, PartitionOffset>();
  #send: Send | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sent: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: CommitsOptions) {
    this.#options = options;
  }

  /** To be committed soon, with whatever was last given to send it. */
  add(next: PartitionOffset, send: Send): void {
    if (this.#isClosed) return;
    this.#waiting.set(placeOf(next), next);
    this.#send = send;
    this.#timer ??= setTimeout(() => void this.flush(), restMs);
  }

  /** Resolves when all that was added is committed, or was found to be impossible to commit now. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sent = this.#sent.then(() => this.#commit());
    return this.#sent;
  }

  /** What was added is another member's to commit, or nobody's. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = new Map();
  }

  /** For a session that is over: work that outlives it has nothing to commit. */
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
      // Forgotten meanwhile, an old offset must not come back behind a newer one.
      if (waiting !== this.#waiting) return;
      for (const next of offsets) if (!waiting.has(placeOf(next))) this.add(next, this.#send!);
    }
  }
}
