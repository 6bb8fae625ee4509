import { setImmediate } from 'node:timers/promises';
import { CheckpointMoved } from './processor.ts';
import { isTransient } from './transient.ts';

export interface PipelinedCommitterOptions<Step, Prepared> {
  /** Maximum total size of a group; a larger step forms a group of its own. */
  readonly maxSize: number;
  readonly sizeOf: (step: Step) => number;
  /** Work that may be done while the previous group is being written. */
  readonly prepare: (steps: readonly Step[]) => Promise<Prepared>;
  readonly write: (steps: readonly Step[], prepared: Prepared) => Promise<void>;
}

interface Waiting<Step> {
  readonly step: Step;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Groups the steps that arrive while an earlier group is being written: under load many small steps become few large ones, and
 * without load nothing waits. While a group is being written the next one is prepared, so two steps that wait at the same time must
 * not depend on each other.
 */
export class PipelinedCommitter<Step, Prepared> {
  readonly #options: PipelinedCommitterOptions<Step, Prepared>;
  #waiting: Waiting<Step>[] = [];
  #isPreparing = false;
  #written: Promise<void> = Promise.resolve();

  constructor(options: PipelinedCommitterOptions<Step, Prepared>) {
    this.#options = options;
  }

  /** Resolves when the step is written. If its group fails because of one of its steps, each step is written alone. */
  add(step: Step): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ step, resolve, reject });
      if (!this.#isPreparing) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isPreparing = true;
    while (this.#waiting.length > 0) {
      // Steps of the same turn of the event loop belong together.
      await setImmediate();
      const group = this.#nextGroup();
      try {
        const prepared = await this.#options.prepare(stepsOf(group));
        await this.#written;
        this.#written = this.#write(group, prepared);
      } catch (error) {
        await this.#written;
        this.#written = this.#settleFailed(group, error);
      }
    }
    this.#isPreparing = false;
  }

  #nextGroup(): readonly Waiting<Step>[] {
    const { maxSize, sizeOf } = this.#options;
    let size = 0;
    const end = this.#waiting.findIndex(({ step }, n) => (size += sizeOf(step)) > maxSize && n > 0);
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
  }

  async #write(group: readonly Waiting<Step>[], prepared: Prepared): Promise<void> {
    try {
      await this.#options.write(stepsOf(group), prepared);
      for (const { resolve } of group) resolve();
    } catch (error) {
      await this.#settleFailed(group, error);
    }
  }

  /** An error that concerns one step must not fail the others; one that concerns the database fails them all. */
  async #settleFailed(group: readonly Waiting<Step>[], error: unknown): Promise<void> {
    const concernsOneStep = !isTransient(error) || error instanceof CheckpointMoved;
    for (const { step, resolve, reject } of group) {
      if (group.length === 1 || !concernsOneStep) {
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

function stepsOf<Step>(group: readonly Waiting<Step>[]): readonly Step[] {
  return group.map(({ step }) => step);
}
