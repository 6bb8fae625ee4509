import type { VectorLag } from '../../queries/vector-lag.ts';
import { pause } from '../../support/pause.ts';

const lookEveryMs = 250;
/** Vectors that do not move for this long are not made more quickly if nothing is stored: `/readyz` says what is wrong with them. */
const stalledMs = 30_000;
/** Events of the log that one stored line becomes, at most: its claim and its memory. */
const eventsPerLine = 2;

export type BulkState = 'open' | 'held-back';

/**
 * The pace at which bulk stores take their lines. As long as the vectors are not far behind, it is that of the sender. Beyond that, all
 * streams together get as many lines as vectors are made, in turns. A line that waits is not read: its sender is held back by TCP, and
 * what was acknowledged is stored.
 */
export class BulkPace {
  readonly #read: () => Promise<VectorLag>;
  readonly #maxLag: number;
  readonly #lookEveryMs: number;
  readonly #waiting = new Set<() => void>();
  #known: (VectorLag & { readonly at: number; readonly movedAt: number }) | undefined;
  #looking: Promise<void> | undefined;
  #isLettingIn = false;

  constructor(read: () => Promise<VectorLag>, maxLag: number, everyMs: number = lookEveryMs) {
    this.#read = read;
    this.#maxLag = maxLag;
    this.#lookEveryMs = everyMs;
  }

  /** Whether a bulk store is held back now, or would be. */
  async state(): Promise<BulkState> {
    await this.#look();
    return this.#holdsBack ? 'held-back' : 'open';
  }

  /** Resolves when the next line may be taken; at once if the signal aborts, because a stop waits for what is being sent. */
  async next(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size === 0) await this.#look();
    if (!this.#holdsBack || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const take = () => {
        this.#waiting.delete(take);
        signal.removeEventListener('abort', take);
        resolve();
      };
      signal.addEventListener('abort', take, { once: true });
      this.#waiting.add(take);
      if (!this.#isLettingIn) void this.#letIn();
    });
  }

  get #holdsBack(): boolean {
    const { lag = 0, movedAt = 0, at = 0 } = this.#known ?? {};
    return lag > this.#maxLag && at - movedAt < stalledMs;
  }

  /** Lets lines in as the vectors move, until none waits. */
  async #letIn(): Promise<void> {
    this.#isLettingIn = true;
    while (this.#waiting.size > 0) {
      const before = this.#known?.position ?? 0;
      await pause(this.#lookEveryMs);
      await this.#look();
      const moved = (this.#known?.position ?? 0) - before;
      const count = this.#holdsBack ? Math.ceil(moved / eventsPerLine) : Infinity;
      for (const take of [...this.#waiting].slice(0, count)) take();
    }
    this.#isLettingIn = false;
  }

  /** Reads the lag, unless that was done just now. If it cannot be read, nobody is held back. */
  async #look(): Promise<void> {
    const now = performance.now();
    if (this.#known && now - this.#known.at < this.#lookEveryMs) return;
    this.#looking ??= this.#readLag().finally(() => (this.#looking = undefined));
    await this.#looking;
  }

  async #readLag(): Promise<void> {
    const found = await this.#read().catch(() => undefined);
    const at = performance.now();
    const hasMoved = found?.position !== this.#known?.position || (found?.lag ?? 0) <= this.#maxLag;
    this.#known = found && { ...found, at, movedAt: hasMoved ? at : this.#known!.movedAt };
  }
}
