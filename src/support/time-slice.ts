import { setImmediate } from 'node:timers/promises';

/** Maximum time that a computation may block the event loop: requests and the database's answers wait meanwhile. */
const maxMs = 1;

/** Divides a long computation on the main thread into slices, between which other work runs. */
export class TimeSlice {
  #startedAt = performance.now();

  get isUsedUp(): boolean {
    return performance.now() - this.#startedAt > maxMs;
  }

  /** Lets other work run, then starts a new slice. */
  async yield(): Promise<void> {
    await setImmediate();
    this.#startedAt = performance.now();
  }
}

/** Runs the steps of a long computation in slices. */
export async function runInSlices<Result>(steps: Generator<undefined, Result, undefined>): Promise<Result> {
  const slice = new TimeSlice();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (slice.isUsedUp) await slice.yield();
  }
}
