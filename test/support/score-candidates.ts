import { scorerOf, type CandidateSignals, type RankedQuery } from '../../src/domain/ranking/score.ts';

/** The score of each candidate, in order. */
export function scoreCandidates(query: RankedQuery, candidates: readonly CandidateSignals[]): number[] {
  const scorer = scorerOf(query);
  return candidates.map((candidate) => scorer.score(candidate));
}
