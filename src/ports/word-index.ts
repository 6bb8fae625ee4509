import type { Part } from '../domain/access/counted-parts.ts';
import type { PassageMatch } from '../domain/ranking/best-passage.ts';
import type { TermStatistics, WeightedTerms } from '../domain/ranking/bm25.ts';
import type { SqlExecutor } from './sql.ts';

/** The words of a tenant's memories in one generation of the lexical read model. */
export interface WordSet {
  readonly tenant: string;
  /** The table with the texts of the generation. */
  readonly table: string;
}

/** Inputs of a text's lexical score. */
export interface TermSignal {
  /** Number of terms in the text. */
  readonly length: number;
  /** Occurrences of each term of the query, in their order; empty if the text has none of them. */
  readonly frequencies: readonly number[];
}

/** The words of a tenant's active memories, valid until the end of the transaction in which they were requested. */
export interface Words {
  /** Number of memories. */
  readonly documents: number;
  /** How many memories of these parts of the tenant there are, and how many of them contain each term. */
  statistics(terms: readonly string[], parts: 'all' | readonly Part[]): TermStatistics;
  /**
   * Ids of memories that contain any of the terms, best first by BM25 (`match` of the ranking) of the whole text or of a passage,
   * whichever is greater; at most `limit`, from all memories or from those in `among`.
   */
  best(query: WeightedTerms, limit: number, among?: readonly string[]): readonly string[];
  /** The signal of each memory; undefined if it is not active. */
  signals(terms: readonly string[], ids: readonly string[]): readonly (TermSignal | undefined)[];
  /** The best passage of each memory; undefined if its text is not divided, or no passage contains a term. */
  passages(query: WeightedTerms, ids: readonly string[]): readonly (PassageMatch | undefined)[];
}

/**
 * Keeps words of tenants outside of the database. The database stays the authority: callers check there who may see the
 * memories that were found.
 */
export interface WordIndex {
  /** Whether the words are loaded. Starts loading them and waits some seconds: must not run inside a transaction. */
  ready(set: WordSet): Promise<boolean>;
  /** All words that were committed before this call; undefined if they are not loaded. `executor` reads missing ones. */
  words(executor: SqlExecutor, set: WordSet): Promise<Words | undefined>;
  close(): Promise<void>;
}
