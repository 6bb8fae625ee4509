import type { SqlExecutor } from './sql.ts';

/** The vectors of a tenant's memories by one model. */
export interface VectorSet {
  readonly tenant: string;
  /** The table that keeps the vectors of the model, of memories (`vectorTable`) or of passages (`passageVectorTable`). */
  readonly table: string;
}

/** Of unit length. */
export type UnitVector = Float32Array;

/** A memory, and the cosine of its vector with a query's, exact to .00002. */
export interface Near {
  readonly id: string;
  readonly cosine: number;
}

/** A passage of a memory, by its number in the text, and the cosine of its vector with a query's. */
export interface NearPassage {
  readonly passage: number;
  readonly cosine: number;
}

/** The vectors of a set, as they are until the transaction ends that they were requested in. */
export interface Vectors {
  /** Nearest first, at most `limit`; of all, or of the memories in `among`. */
  nearest(vector: UnitVector, limit: number, among?: readonly string[]): readonly Near[];
  /** The cosine of each memory; null if it has no vector. */
  cosines(vector: UnitVector, ids: readonly string[]): readonly (number | null)[];
}

/** Vectors of passages, several for each memory. As `Vectors`, each memory is as near as its nearest passage. */
export interface PassageVectors extends Vectors {
  /** The nearest passage of each memory; null if no passage has a vector. */
  nearestPassages(vector: UnitVector, ids: readonly string[]): readonly (NearPassage | null)[];
}

/**
 * Keeps vectors of tenants beside the database, where queries are compared with all of them. The database stays the authority:
 * callers check there whether what was found still exists, and who may see it.
 */
export interface VectorIndex {
  /** Whether the vectors are there. Waits some seconds if they are being loaded: must not run inside a transaction. */
  has(set: VectorSet): Promise<boolean>;
  /** Starts loading them in the background. */
  want(set: VectorSet): void;
  /** All vectors that were committed before this call; undefined if they are not there. `executor` reads what is missing. */
  vectors(executor: SqlExecutor, set: VectorSet): Promise<Vectors | undefined>;
  /** All vectors of a set of passages that were committed before this call; undefined if they are not there. */
  passages(executor: SqlExecutor, set: VectorSet): Promise<PassageVectors | undefined>;
  close(): Promise<void>;
}
