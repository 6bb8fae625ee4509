import type { MemorySource } from './memories.ts';
import type { Report } from './report.ts';

export interface BenchmarkOptions {
  /** Memories of the largest collection; the smaller ones follow from it. */
  readonly memories: number;
  /** Events of the log that is rebuilt. */
  readonly events: number;
  /** Where the CPU profiles of the servers go; none without it. */
  readonly profile: string | undefined;
  /** A retrieval data set, or a folder of such; undefined without one. */
  readonly data: string | undefined;
  /** The model that the ranking is measured with; undefined for the shipped one. */
  readonly embedder: string | undefined;
  readonly source: MemorySource;
}

export interface Benchmark {
  readonly name: string;
  readonly about: string;
  readonly run: (options: BenchmarkOptions, report: Report) => Promise<void>;
}
