import type { WeightedTerms } from '../domain/ranking/bm25.ts';
import type { SqlExecutor } from './sql.ts';

/** The words of a tenant's memories, as one generation of the lexical read model has them. */
export interface WordSet {
  readonly tenant: string;
  /** The table with the texts of the generation. */
  readonly table: string;
}

/** What the lexical score of a text is made of. */
export interface TermSignal {
  /** Number of its terms. */
  readonly length: number;
  /** Occurrences of each of the query's terms, in their order; empty where it has none of them. */
  readonly frequencies: readonly number[];
}

/** The words of a tenant's active memories, as they are until the transaction ends that they were asked for in. */
export interface Words {
  /** How many memories there are. */
  readonly documents: number;
  /** How many of them hold a term. */
  documentFrequency(term: string): number;
  /**
   * Ids of the memories that hold any of the terms, best first by BM25 (`match` of the ranking); at most `limit`, of all or of
   * those in `among`.
   */
  best(query: WeightedTerms, limit: number, among?: readonly string[]): readonly string[];
  /** Of each memory; undefined where it is not active. */
  signals(terms: readonly string[], ids: readonly string[]): readonly (TermSignal | undefined)[];
}

/**
 * Finds memories by their words beside the database, which stays what is true: who may see what is asked there of those
 * that were found.
 */
export interface WordIndex {
  /** Whether the words are there; has them loaded, and waits some seconds for them: not inside a transaction. */
  ready(set: WordSet): Promise<boolean>;
  /** Those that were committed before; undefined where they are not there. `executor` reads what is missing. */
  words(executor: SqlExecutor, set: WordSet): Promise<Words | undefined>;
  close(): Promise<void>;
}
