import type { MemorySource } from './memories.ts';
import type { Report } from './report.ts';

export interface BenchmarkOptions {
  /** Memories in the largest collection; the smaller sizes are derived from it. */
  readonly memories: number;
  /** Events in the log from which read models are rebuilt. */
  readonly events: number;
  /** Folder for the CPU profiles of the servers; if undefined, none are written. */
  readonly profile: string | undefined;
  /** A retrieval data set or a folder of them, if given. */
  readonly data: string | undefined;
  /** The embedding model for measuring the ranking; if undefined, the shipped one. */
  readonly embedder: string | undefined;
  /** Simulated logs of decisions. */
  readonly logs: number;
  /** Number of requests or connections of benchmarks that count them; if undefined, their usual number. */
  readonly count?: number | undefined;
  /** Seed of random requests. */
  readonly seed: number;
  readonly source: MemorySource;
}

export interface Benchmark {
  readonly name: string;
  readonly about: string;
  readonly run: (options: BenchmarkOptions, report: Report) => Promise<void>;
}
