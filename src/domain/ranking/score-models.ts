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
  const byOther = (candidate: CandidateSignals) => {
    const { cosines = [], passages, ...signals } = candidate;
    return cosines.flatMap(({ model, cosine }) => {
      const ofWords = passages && { passages: { ...passages, cosine: undefined } };
      return others.get(model)?.score({ ...signals, ...ofWords, cosine }) ?? [];
    });
  };
  return {
    score(candidate) {
      const scores = byOther(candidate);
      return scores.length === 0 || candidate.passages
        ? Math.max(usual.score(candidate), ...scores)
        : Math.max(...scores);
    },
    mayQuote: (candidate) => usual.mayQuote(candidate),
  };
}
