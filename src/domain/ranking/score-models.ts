import type { ModelScale } from './calibration.ts';
import { scorerOf, type CandidateSignals, type RankedQuery, type Scorer } from './score.ts';

/**
 * Scores candidates that were compared by several models, each by its own scale, so that their relevances mean the same. What `cosines` of a
 * candidate say replaces the cosine of the query's model; of several the best counts. The passages of a long text have vectors
 * of the query's model alone, so it is scored by that one too.
 */
export function scorerOfModels(
  query: RankedQuery,
  scales: ReadonlyMap<string, ModelScale | undefined>,
): Scorer {
  const usual = scorerOf(query);
  const others = new Map(
    [...scales].map(([model, scale]) => [model, scorerOf({ ...query, model, scale })] as const),
  );
  /** Applies `of` to a candidate once for each model that counts for it. */
  const byModels = <Made>(
    candidate: CandidateSignals,
    of: (scorer: Scorer, by: CandidateSignals) => Made,
  ) => {
    const { cosines = [], passages, ...signals } = candidate;
    const made = cosines.flatMap(({ model, cosine }) => {
      const ofWords = passages && { passages: { ...passages, cosine: undefined } };
      const scorer = others.get(model);
      return scorer ? [of(scorer, { ...signals, ...ofWords, cosine })] : [];
    });
    return made.length === 0 || passages ? [of(usual, candidate), ...made] : made;
  };
  return {
    score: (candidate) => Math.max(...byModels(candidate, (scorer, by) => scorer.score(by))),
    mayQuote: (candidate) => usual.mayQuote(candidate),
    explain: (candidate) =>
      byModels(candidate, (scorer, by) => scorer.explain(by)).reduce((best, one) =>
        one.relevance > best.relevance ? one : best,
      ),
  };
}
