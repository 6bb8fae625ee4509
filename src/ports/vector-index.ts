import type { SqlExecutor } from './sql.ts';

/** The vectors of a tenant's memories by one model. */
export interface VectorSet {
  readonly tenant: string;
  /** The table that keeps the vectors of the model (`vectorTable`). */
  readonly table: string;
}

/** Of unit length. */
export type UnitVector = Float32Array;

/** A memory, and the cosine of its vector with a query's, exact to .00002. */
export interface Near {
  readonly id: string;
  readonly cosine: number;
}

/** The vectors of a set, as they are until the transaction ends that they were requested in. */
export interface Vectors {
  /** Nearest first, at most `limit`; of all, or of the memories in `among`. */
  nearest(vector: UnitVector, limit: number, among?: readonly string[]): readonly Near[];
  /** Of each memory; null if it has no vector. */
  cosines(vector: UnitVector, ids: readonly string[]): readonly (number | null)[];
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
  close(): Promise<void>;
}
