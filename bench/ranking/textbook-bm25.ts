import type { TermFrequencies, TermStatistics } from '../../src/domain/ranking/bm25.ts';

const k1 = 1.2;
const b = 0.75;

/**
 * BM25 as in textbooks and Lucene, for comparison: `k1` 1.2, `b` .75, over all memories of the tenant. `meanLength` is their mean
 * length in terms. Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and
 * Beyond", 2009, eq. 3.15, with Lucene's 1 + inside the logarithm of the idf.
 */
export function textbookBm25(
  terms: readonly string[],
  memory: TermFrequencies,
  { documents, documentFrequency }: TermStatistics,
  meanLength: number,
): number {
  let sum = 0;
  for (const term of terms) {
    const frequency = memory.termFrequencies.get(term) ?? 0;
    if (frequency === 0) continue;
    const holding = documentFrequency.get(term) ?? 0;
    const idf = Math.log1p((documents - holding + 0.5) / (holding + 0.5));
    sum += (idf * frequency) / (frequency + k1 * (1 - b + (b * memory.length) / meanLength));
  }
  return sum;
}
