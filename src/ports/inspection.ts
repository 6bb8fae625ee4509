/** What a server says of itself, asked over a connection of its own that is closed again. */
export interface Inspection {
  /** Product and version, as far as the server tells. */
  readonly version: string;
  /** What keeps this program from working with it, with what to do; empty where nothing does. */
  readonly missing: readonly string[];
  /** What is worth knowing and stops nothing. */
  readonly notes: readonly string[];
}
