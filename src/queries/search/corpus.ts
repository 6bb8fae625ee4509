import type { TermStatistics, WeightedTerms } from '../../domain/ranking/bm25.ts';
import type { RegisteredModel } from '../../ports/embedder.ts';
import type { SqlExecutor, TransactionOptions } from '../../ports/sql.ts';
import type { ReadView } from '../read-models.ts';
import type { AttemptNotes } from './explanation.ts';
import type { QueriesOfSpaces, QueryVector } from './query-vectors.ts';
import type { FoundRow } from './shortlist.ts';
import type { Candidate } from './sources/candidate-source.ts';

/** Says what a search could not use just now. */
export interface Degradation {
  readonly meaning: boolean;
  readonly words?: boolean;
  /** Whether passages of long memories are still being embedded. */
  readonly indexing?: boolean;
  /** Whether a memory has no vector because the model does not embed its text. */
  readonly unembedded?: boolean;
  /** Models of spaces that do not answer: their memories are compared by the model of the server. */
  readonly models?: readonly string[];
  /** Whether the rarity of words could not be looked up. */
  readonly wordWeights?: boolean;
}

/** The memories that one search looks through: as they are now, or as they were at a position. */
export interface Corpus {
  readonly view: ReadView;
  /** The vector of the query; undefined if the query cannot be embedded now. */
  readonly vector: QueryVector | undefined;
  /** The models of spaces that the query is compared by, in addition. */
  readonly models: readonly RegisteredModel[];
  /** Options of the transactions that it is read in. */
  readonly transaction: TransactionOptions;
  /** Position that the answer is valid for. */
  readonly position: number;
  /**
   * Does what a transaction must not wait for: asks servers, loads what is kept in RAM, and embeds texts. Called before each `open`,
   * with the number of candidates wanted of each source.
   */
  prepare(limit: number): Promise<void>;
  /** Opens the corpus inside a transaction. */
  open(tx: SqlExecutor): Promise<OpenCorpus>;
  /** The memories themselves, without those that are gone or no longer meet the restrictions. */
  read(tx: SqlExecutor, ids: readonly string[]): Promise<FoundRow[]>;
}

/** A corpus inside a transaction. */
export interface OpenCorpus {
  /** Statistics of the query's terms in the memories that count for the caller. */
  readonly statistics: TermStatistics;
  /** Complete after `find`. */
  readonly degradation: Degradation;
  /** The best `limit` of each source, each once. */
  find(weighted: WeightedTerms, limit: number, notes?: AttemptNotes): Promise<readonly Candidate[]>;
}

/** A corpus, as far as it can be prepared while the query is being embedded. */
export interface UnembeddedCorpus {
  readonly view: ReadView;
  readonly with: (vector: QueryVector | undefined, ofSpaces?: QueriesOfSpaces) => Corpus;
}
