import type { LeaseHolder } from '../ports/leases.ts';
import type { Generation } from './generation.ts';
import type { Partitioning } from './partitions.ts';

/** Where generations get their events from. */
export interface Source {
  readonly partitioning: Partitioning;
  /** What all generations of the process share, until `signal` aborts. Run once. */
  follow(signal: AbortSignal): Promise<void>;
  /** Keeps a generation up with the log until `signal` aborts, through whatever is away meanwhile. */
  run(generation: Generation, signal: AbortSignal): Promise<void>;
  /** Which process runs each generation, by `name/generation`. */
  holders(): Promise<Map<string, LeaseHolder>>;
}

/** What a source tells the process that it runs in. */
export interface SourceReports {
  readonly onStep: () => void;
  readonly onError: (projection: string, error: unknown) => void;
}
