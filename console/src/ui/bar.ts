/** A value that is drawn as a bar. */
export interface Bar {
  readonly name: string;
  /** Positive or negative; the bar is drawn relative to the largest. */
  readonly value: number;
  /** Shown instead of the rounded value. */
  readonly text?: string;
  readonly note?: string;
}
