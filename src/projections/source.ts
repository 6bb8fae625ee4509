import type { EventProcessor } from '../follow/processor.ts';
import type { Generation } from './generation.ts';
import type { Partitioning } from '../follow/partitions.ts';
import type { Surface } from '../ports/surface.ts';
import type { Projection } from './projection.ts';

/** Where generations get their events from: the log itself, or the topics that the relay fills. */
export interface Source {
  /** How the events of a projection are partitioned. */
  partitioningOf(projection: Projection): Partitioning;
  /** Does the work that all generations of the process share, until `signal` aborts. Called once. */
  follow(signal: AbortSignal): Promise<void>;
  /** Where decrypted events stay for a while. */
  readonly surfaces: readonly Surface[];
  /** Keeps a generation up to date. Its name is the key of the generation. */
  processorOf(generation: Generation): EventProcessor;
}
