import { WakeUp } from '../../../src/support/wake-up.ts';

/** What becomes of a reply: its connection is cut, or it never comes. */
export type Loss = 'cut' | 'silence';

/** How the double is told to misbehave. Without a word it behaves. */
export class Faults {
  readonly #thawed = new WakeUp();
  readonly #subscribers = new Set<() => void>();
  #frozen = false;
  #losses: Loss[] = [];
  /** A live subscriber further behind than so many events is dropped; undefined: never. */
  lagLimit: number | undefined;

  /** The next `count` appends are written, and their replies lost. */
  loseReplies(count: number, how: Loss): void {
    this.#losses.push(...Array.from({ length: count }, () => how));
  }

  get frozen(): boolean {
    return this.#frozen;
  }

  takeLoss(): Loss | undefined {
    return this.#losses.shift();
  }

  /** Takes calls and answers none, until `thaw`. */
  freeze(): void {
    this.#frozen = true;
  }

  thaw(): void {
    this.#frozen = false;
    this.#thawed.wake();
  }

  /** Resolves once the double is not frozen, or `signal` aborts. */
  async whileFrozen(signal: AbortSignal): Promise<void> {
    while (this.#frozen && !signal.aborted) await this.#thawed.after(this.#thawed.count, 60_000, signal);
  }

  /** How many subscriptions there are. */
  get subscribers(): number {
    return this.#subscribers.size;
  }

  /** Ends every subscription as if its client had been too slow. Answers how many there were. */
  dropSubscribers(): number {
    const dropped = [...this.#subscribers];
    for (const drop of dropped) drop();
    return dropped.length;
  }

  /** Has `drop` called when subscribers are dropped, until `signal` aborts. */
  onDrop(drop: () => void, signal: AbortSignal): void {
    this.#subscribers.add(drop);
    signal.addEventListener('abort', () => this.#subscribers.delete(drop), { once: true });
  }
}
