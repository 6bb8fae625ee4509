/** The generations that queries read before and after an operation. */
export type GenerationChange = {
  readonly from: number;
  readonly to: number;
  /** `from` is still being built and is abandoned; queries read `to`, as before. */
  readonly ended?: true;
};

export type Switched = GenerationChange & {
  /** Position of the event of the operation. */
  readonly position: number;
};
