import { WakeUp } from '../../../src/support/wake-up.ts';

/** How a reply is lost: its connection is cut, or it is never sent. */
export type Loss = 'cut' | 'silence';

/** Faults to inject into the double; none by default. */
export class Faults {
  readonly #thawed = new WakeUp();
  readonly #subscribers = new Set<() => void>();
  #frozen = false;
  #losses: Loss[] = [];
  /** A live subscriber that lags by more events than this is dropped; if undefined, none is. */
  lagLimit: number | undefined;

  /** Writes the next `count` appends but loses their replies. */
  loseReplies(count: number, how: Loss): void {
    this.#losses.push(...Array.from({ length: count }, () => how));
  }

  get frozen(): boolean {
    return this.#frozen;
  }

  takeLoss(): Loss | undefined {
    return this.#losses.shift();
  }

  /** Accepts calls but answers none, until `thaw`. */
  freeze(): void {
    this.#frozen = true;
  }

  thaw(): void {
    this.#frozen = false;
    this.#thawed.wake();
  }

  /** Resolves when the double is not frozen, or when `signal` aborts. */
  async whileFrozen(signal: AbortSignal): Promise<void> {
    while (this.#frozen && !signal.aborted) await this.#thawed.after(this.#thawed.count, 60_000, signal);
  }

  /** Number of subscriptions. */
  get subscribers(): number {
    return this.#subscribers.size;
  }

  /** Ends every subscription as if its client were too slow. Returns their number. */
  dropSubscribers(): number {
    const dropped = [...this.#subscribers];
    for (const drop of dropped) drop();
    return dropped.length;
  }

  /** Calls `drop` when subscribers are dropped, until `signal` aborts. */
  onDrop(drop: () => void, signal: AbortSignal): void {
    this.#subscribers.add(drop);
    signal.addEventListener('abort', () => this.#subscribers.delete(drop), { once: true });
  }
}
