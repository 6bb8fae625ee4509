import { setImmediate } from 'node:timers/promises';
import { isTransient } from '../processors/transient.ts';
import { BookmarkMoved } from './bookmarks.ts';

export interface GatheringOptions<Step, Prepared> {
  /** How much is written together at most; a step that is larger is written by itself. */
  readonly most: number;
  readonly sizeOf: (step: Step) => number;
  /** What may be done while the steps before are written. */
  readonly prepare: (steps: readonly Step[]) => Promise<Prepared>;
  readonly write: (steps: readonly Step[], prepared: Prepared) => Promise<void>;
}

interface Waiting<Step> {
  readonly step: Step;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes together what comes while something is written: many small steps become few large ones where there is much to
 * do, and nothing waits where there is little. While some steps are written the next ones are prepared, so no two that
 * wait at the same time may depend on each other.
 */
export class Gathering<Step, Prepared> {
  readonly #options: GatheringOptions<Step, Prepared>;
  #waiting: Waiting<Step>[] = [];
  #isPreparing = false;
  #written: Promise<void> = Promise.resolve();

  constructor(options: GatheringOptions<Step, Prepared>) {
    this.#options = options;
  }

  /** Resolves when the step is written. Where it cannot be written with the others, it is written alone. */
  take(step: Step): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ step, resolve, reject });
      if (!this.#isPreparing) void this.#takeAll();
    });
  }

  async #takeAll(): Promise<void> {
    this.#isPreparing = true;
    while (this.#waiting.length > 0) {
      // What comes in the same turn belongs together.
      await setImmediate();
      const taken = this.#next();
      try {
        const prepared = await this.#options.prepare(stepsOf(taken));
        await this.#written;
        this.#written = this.#write(taken, prepared);
      } catch (error) {
        await this.#written;
        this.#written = this.#settle(taken, error);
      }
    }
    this.#isPreparing = false;
  }

  #next(): readonly Waiting<Step>[] {
    const { most, sizeOf } = this.#options;
    let size = 0;
    const beyond = this.#waiting.findIndex(({ step }, n) => (size += sizeOf(step)) > most && n > 0);
    return this.#waiting.splice(0, beyond < 0 ? this.#waiting.length : beyond);
  }

  async #write(taken: readonly Waiting<Step>[], prepared: Prepared): Promise<void> {
    try {
      await this.#options.write(stepsOf(taken), prepared);
      for (const { resolve } of taken) resolve();
    } catch (error) {
      await this.#settle(taken, error);
    }
  }

  /** One that fails because of itself takes no other with it. */
  async #settle(taken: readonly Waiting<Step>[], error: unknown): Promise<void> {
    const isOfOne = !isTransient(error) || error instanceof BookmarkMoved;
    for (const { step, resolve, reject } of taken) {
      if (taken.length === 1 || !isOfOne) {
        reject(error);
        continue;
      }
      try {
        await this.#options.write([step], await this.#options.prepare([step]));
        resolve();
      } catch (own) {
        reject(own);
      }
    }
  }
}

function stepsOf<Step>(taken: readonly Waiting<Step>[]): readonly Step[] {
  return taken.map(({ step }) => step);
}
