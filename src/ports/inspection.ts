/** Result of inspecting a server over a separate, temporary connection. */
export interface Inspection {
  /** Product and version, as far as the server reports them. */
  readonly version: string;
  /** Problems that prevent this program from using the server, with their remedies. */
  readonly missing: readonly string[];
  /** Findings that prevent nothing. */
  readonly notes: readonly string[];
}
