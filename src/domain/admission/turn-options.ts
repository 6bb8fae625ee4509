/** How many costly requests a process works on. */
export interface TurnOptions {
  /** Requests that are worked on at a time. */
  readonly places: number;
  /** Places that heavy requests may take together, so that a light one always finds a place soon. */
  readonly heavyPlaces: number;
  /** Requests that may wait. */
  readonly maxWaiting: number;
  /** A request that would wait longer by estimate is refused. */
  readonly maxWaitMs: number;
}
