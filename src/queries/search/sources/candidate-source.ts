import type { Region } from '../../../domain/access/region.ts';
import type { WeightedTerms } from '../../../domain/ranking/bm25.ts';
import type { AskedTimes } from '../../../domain/ranking/dates.ts';
import type { ModelCosine } from '../../../domain/ranking/score.ts';
import type { TermSignal } from '../../../ports/word-index.ts';
import type { BestPassages } from './best-passages.ts';
import type { MemoryFilters } from '../filter-join.ts';

/** Which memories a search may find: those in the region that pass the filters. */
export interface Restrictions extends MemoryFilters {
  readonly region: Region;
}

/** The vector of a query, and the table with the vectors of the same model. */
export interface DenseQuery {
  readonly vector: Float32Array;
  readonly table: string;
  /** Whether the table has several rows for a memory, of which the nearest counts. */
  readonly hasSeveral?: boolean | undefined;
  /** The table with the vectors of passages; undefined if the read model has none. */
  readonly passages?: string | undefined;
  /** Id of the model, if it is one that may not embed some texts. */
  readonly refusing?: string | undefined;
}

/** A query as the sources compare it with memories. */
export interface CandidateQuery extends Restrictions {
  /** The text, for engines that split it into words themselves. */
  readonly text: string;
  /** Terms of that text, weighted by how rare each is in the tenant. */
  readonly weighted: WeightedTerms;
  /** Undefined if meaning cannot be compared: hits have no cosine then. */
  readonly dense?: DenseQuery | undefined;
  readonly times: AskedTimes;
}

/** The lexical signal of a memory, and what else its row in the lexical read model says. */
export interface TextSignal extends TermSignal {
  /** Whether it is a turn of a session. */
  readonly is_turn: boolean;
  /** Number of its passages; null for a short text. */
  readonly passages: number | null;
  readonly speaker: string | null;
  readonly occurred_at: Date | null;
}

/** A memory that a source found, with both signals. */
export interface Hit extends Nullable<TextSignal> {
  readonly memory_id: string;
  /** The dense signal; null if the memory has no vector. */
  readonly cosine: number | null;
}

type Nullable<T> = { readonly [Key in keyof T]: T[Key] | null };

/** What a source compares: vectors of whole texts, of passages, or by the model of a space; words; or, in a scan of the past, all of it. */
export const sourceKinds = ['dense', 'passages', 'lexical', 'space-model', 'scan'] as const;
export type SourceKind = (typeof sourceKinds)[number];

/**
 * One way to find memories: by meaning or by words, in one place where vectors or words are kept. Each hit carries both
 * signals, whichever found it, so that a score never depends on the source. A source is made for one search and reads inside
 * its transaction.
 */
export interface CandidateSource {
  readonly kind: SourceKind;
  /** Present if it looks only within the periods that the question names. */
  readonly inPeriods?: true;
  /** The `limit` memories within the query's restrictions that match it best by the source's own signal. */
  find(query: CandidateQuery, limit: number): Promise<readonly Hit[]>;
}

/** A hit whose text can be searched, with what surrounds it. */
export interface Candidate extends TextSignal, BestPassages {
  readonly memory_id: string;
  readonly cosine: number | null;
  /** The same by the models of its spaces. */
  readonly cosines?: readonly ModelCosine[] | undefined;
  /** The turns around it in its session. */
  readonly neighbours: readonly TermSignal[];
}
