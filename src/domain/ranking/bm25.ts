/** What a tenant's memories say about terms. Another tenant's memories are never in it. */
export interface CorpusStatistics {
  /** Number of memories. */
  readonly documents: number;
  /** Sum of their lengths in terms. */
  readonly totalLength: number;
  /** Term -> number of memories that hold it; at least for the terms of the query. Absent: none. */
  readonly documentFrequency: ReadonlyMap<string, number>;
}

export interface Bm25Parameters {
  /** How soon repeated occurrences stop to count. */
  readonly k1: number;
  /** How far a long memory has to hold a term more often: 0 not at all, 1 in proportion. */
  readonly b: number;
  /** How many memories the prior is worth. */
  readonly priorDocuments: number;
  /** Length in terms of a memory of the prior. */
  readonly priorLength: number;
  /** Share of the prior's memories that hold a given term. */
  readonly priorShare: number;
}

export const BM25: Bm25Parameters = { k1: 1.2, b: 0.75, priorDocuments: 50, priorLength: 60, priorShare: 0.01 };

/**
 * Inverse document frequency of a term, > 0: log(1 + (N − n + ½) / (n + ½)), N and n counted over the tenant's
 * memories and those of a fixed prior, so that a tenant with one memory has a sensible value too.
 * Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, eq. 3.3, with
 * Lucene's 1 + inside the logarithm.
 */
export function idf(term: string, statistics: CorpusStatistics, parameters: Bm25Parameters = BM25): number {
  const { priorDocuments, priorShare } = parameters;
  const documents = statistics.documents + priorDocuments;
  const holding = (statistics.documentFrequency.get(term) ?? 0) + priorDocuments * priorShare;
  return Math.log1p(Math.max(0, documents - holding + 0.5) / (holding + 0.5));
}

/** Mean length of a memory in terms, shrunk to the prior's. */
export function averageLength(statistics: CorpusStatistics, parameters: Bm25Parameters = BM25): number {
  const { priorDocuments, priorLength } = parameters;
  return (statistics.totalLength + priorDocuments * priorLength) / (statistics.documents + priorDocuments);
}

/**
 * What `frequency` occurrences of a term in a memory of `length` terms are worth, 0 .. k1 + 1 (exclusive); to be
 * multiplied by the term's idf and summed. Grows with the frequency, falls with the length. Source as for `idf`, eq. 3.15.
 */
export function termSaturation(
  frequency: number,
  length: number,
  average: number,
  parameters: Bm25Parameters = BM25,
): number {
  if (frequency <= 0) return 0;
  const { k1, b } = parameters;
  return (frequency * (k1 + 1)) / (frequency + k1 * (1 - b + (b * length) / average));
}
