/** Statistics of a query's terms over the memories of one tenant that count for the caller (`countedParts`). */
export interface TermStatistics {
  /** Number of these memories. */
  readonly documents: number;
  /** Term -> number of them that contain it. Absent: none. */
  readonly documentFrequency: ReadonlyMap<string, number>;
}

/** The term counts of a memory. */
export interface TermFrequencies {
  /** Term -> occurrences; at least for the terms of the query. Absent: none. */
  readonly termFrequencies: ReadonlyMap<string, number>;
  /** Number of terms in the memory (`termCounts`). */
  readonly length: number;
}

/** Fitted by `bench/ranking`. */
export const BM25 = {
  /**
   * Length in terms at which one occurrence of a term earns half of its weight. BM25's k1 (1 − b + b·length/mean) with b = 1 is
   * length / pivot for pivot = mean / k1. The pivot is fixed and does not follow the tenant's mean: a match in a short note says
   * more than one in a long page for every tenant, and scores do not change when longer memories are added.
   */
  pivotLength: 100,
  /** Weight of the prior, in memories. */
  priorDocuments: 1000,
  /** Share of the prior's memories that contain a given term. */
  priorShare: 0.002,
  /** Exponent of the inverse document frequency: above 1, rare terms count for more than in BM25. */
  rarity: 1.5,
  /** Factor for terms with a digit: vectors hardly represent numbers, versions and identifiers. */
  digits: 2,
} as const;

/** The idf that `rarity` leaves unchanged, so that the scale of the scores stays the same. */
const TYPICAL_IDF = 4;

/**
 * Inverse document frequency of a term, ≥ 0: log(1 + (N − n + ½) / (n + ½)), N and n counted over the tenant's memories
 * and those of a fixed prior, so that a tenant with one memory has sensible values and the scale hardly changes as it grows.
 * Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, eq. 3.3, with
 * Lucene's 1 + inside the logarithm.
 */
export function idf(term: string, statistics: TermStatistics): number {
  const { priorDocuments, priorShare } = BM25;
  const documents = Math.max(0, statistics.documents) + priorDocuments;
  const containing = Math.max(0, statistics.documentFrequency.get(term) ?? 0) + priorDocuments * priorShare;
  return Math.log1p(Math.max(0, documents - containing + 0.5) / (containing + 0.5));
}

/**
 * Share of a term's weight that `frequency` occurrences in a memory of `length` terms earn, 0..1: grows with the
 * frequency, falls with the length. Source as for `idf`, eq. 3.15 with b = 1, without the constant factor k1 + 1.
 */
export function saturation(frequency: number, length: number): number {
  if (frequency <= 0) return 0;
  return frequency / (frequency + Math.max(0, length) / BM25.pivotLength);
}

/** Weight of a query's term in this tenant, ≥ 0. */
function termWeight(term: string, statistics: TermStatistics): number {
  const rare = (idf(term, statistics) / TYPICAL_IDF) ** BM25.rarity * TYPICAL_IDF;
  return /\p{N}/u.test(term) ? rare * BM25.digits : rare;
}

/** A query's terms, each with its weight in this tenant. */
export interface WeightedTerms {
  readonly terms: readonly string[];
  readonly weights: readonly number[];
  /** Sum of the weights; 0 for a query without terms. */
  readonly mass: number;
}

/** Every candidate is compared with each term, and a pasted text has thousands. */
const mostTerms = 1_024;

/** The 1,024 terms of a query with the greatest weights, in their order. */
export function heaviest(terms: readonly string[], statistics: TermStatistics): readonly string[] {
  if (terms.length <= mostTerms) return terms;
  const weights = new Map(terms.map((term) => [term, termWeight(term, statistics)]));
  const kept = new Set(terms.toSorted((a, b) => weights.get(b)! - weights.get(a)!).slice(0, mostTerms));
  return terms.filter((term) => kept.has(term));
}

/** The distinct `terms` of a query with their weights. */
export function weigh(terms: readonly string[], statistics: TermStatistics): WeightedTerms {
  const distinct = [...new Set(terms)];
  const weights = distinct.map((term) => termWeight(term, statistics));
  return { terms: distinct, weights, mass: weights.reduce((sum, weight) => sum + weight, 0) };
}

export interface LexicalMatch {
  /** BM25: weight times saturation, summed over the query's terms. */
  readonly bm25: number;
  /** Share of the query's mass whose terms the memory contains, 0..1. */
  readonly coverage: number;
  /** Share of the memory's terms that the query contains, 0..1. */
  readonly focus: number;
}

/** How a memory matches a weighted query. */
export function match(query: WeightedTerms, memory: TermFrequencies): LexicalMatch {
  let bm25 = 0;
  let matched = 0;
  let occurrences = 0;
  for (const [i, term] of query.terms.entries()) {
    const frequency = memory.termFrequencies.get(term) ?? 0;
    if (frequency <= 0) continue;
    const weight = query.weights[i] ?? 0;
    bm25 += weight * saturation(frequency, memory.length);
    matched += weight;
    occurrences += frequency;
  }
  return {
    bm25,
    coverage: query.mass > 0 ? Math.min(1, matched / query.mass) : 0,
    focus: memory.length > 0 ? Math.min(1, occurrences / memory.length) : 0,
  };
}
