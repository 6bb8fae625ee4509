/** A clock that is ahead by less is believed: clocks are adjusted, and processes pause. */
const toleranceMs = 60_000;

export interface CautiousClockParts {
  /** Milliseconds since 1970 by the clock of the machine, which may be set. */
  readonly wall: () => number;
  /** Milliseconds that pass while the process runs, whatever happens to the clock. */
  readonly steady: () => number;
  /** The latest time that is known to have been: the clock may be ahead of it by `startToleranceMs` when the process starts. */
  readonly latestKnown: number;
  readonly startToleranceMs: number;
  /** A jump forward is believed when it has lasted so long. */
  readonly confirmMs: number;
}

/**
 * A clock for what cannot be taken back easily. It never runs ahead of the clock of the machine. When that jumps forward, as a clock does
 * that is set wrongly, this one goes on as before until the jump has lasted for a while.
 */
export class CautiousClock {
  readonly #parts: CautiousClockParts;
  #anchor: { readonly time: number; readonly steady: number };
  #jumpedAt: number | undefined;

  constructor(parts: CautiousClockParts) {
    this.#parts = parts;
    this.#anchor = { time: parts.latestKnown + parts.startToleranceMs, steady: parts.steady() };
  }

  now(): Date {
    const wall = this.#parts.wall();
    const steady = this.#parts.steady();
    const expected = this.#anchor.time + (steady - this.#anchor.steady);
    if (wall > expected + toleranceMs) {
      this.#jumpedAt ??= steady;
      if (steady - this.#jumpedAt < this.#parts.confirmMs) return new Date(expected);
    }
    this.#jumpedAt = undefined;
    this.#anchor = { time: wall, steady };
    return new Date(wall);
  }
}
