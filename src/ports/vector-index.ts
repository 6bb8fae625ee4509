import type { SqlExecutor } from './sql.ts';

/** Whose vectors, and of which model. */
export interface VectorSet {
  readonly tenant: string;
  /** The table that keeps the vectors of the model (`vectorTable`). */
  readonly table: string;
}

/** Of unit length. */
export type UnitVector = Float32Array;

/** A memory, and the cosine of its vector with what was asked, exact to .00002. */
export interface Near {
  readonly id: string;
  readonly cosine: number;
}

/**
 * Compares with a tenant's vectors beside the database, which stays what is true: who may see what is asked there of those that
 * were found, and they may have gone meanwhile.
 */
export interface VectorIndex {
  /** Whether the vectors are there. Waits some seconds where they are being loaded: not inside a transaction. */
  has(set: VectorSet): Promise<boolean>;
  /** Has them loaded. */
  want(set: VectorSet): void;
  /**
   * Nearest first, of all vectors that were committed before or of those of the memories in `among`; undefined where they are not
   * there. `executor` reads what is missing.
   */
  nearest(
    executor: SqlExecutor,
    set: VectorSet,
    vector: UnitVector,
    limit: number,
    among?: readonly string[],
  ): Promise<readonly Near[] | undefined>;
  /** Of each memory, null where it has no vector; undefined where the vectors are not there. To be asked after `nearest`. */
  cosines(set: VectorSet, vector: UnitVector, ids: readonly string[]): readonly (number | null)[] | undefined;
  close(): Promise<void>;
}
