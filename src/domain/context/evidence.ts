import { groupBy } from '../group-by.ts';
import { logOdds } from '../ranking/score-scale.ts';
import type { ContextCandidate } from './candidate.ts';

/** In log-odds, to which the logarithm of the position in the list is added. */
export interface EvidenceLimits {
  /** A memory this far behind the best one is no evidence. */
  readonly quoted: number;
  /** A memory this far behind is quoted with its best sentences only. */
  readonly extended: number;
}

/** Fitted by `bench/context/evidence.ts`. */
const LIMITS: EvidenceLimits = { quoted: 5.8, extended: 3 };

/**
 * The candidates that are evidence for the question, in the given order: by precedence, which is by relevance except that a memory which
 * replaces another stands before it and counts as relevant as that one. Each position makes it less likely that a memory is evidence, as
 * its odds fall with the number of better ones. The parts of a question are judged one by one. What replaces evidence is evidence, too.
 */
export function evidenceIn(
  candidates: readonly ContextCandidate[],
  { quoted, extended }: EvidenceLimits = LIMITS,
): readonly ContextCandidate[] {
  const distances = distancesOf(candidates);
  const isEvidence = ({ id }: ContextCandidate) => distances.get(id)! <= quoted;
  const successors = new Set(candidates.filter(isEvidence).map(({ supersededBy }) => supersededBy));
  return candidates
    .filter((one) => isEvidence(one) || successors.has(one.id))
    .map((one) => (distances.get(one.id)! <= extended ? one : { ...one, isBrief: true }));
}

/** By id: how far a candidate is behind the best for its part of the question, or for the whole question if it is of no part. */
function distancesOf(candidates: readonly ContextCandidate[]): ReadonlyMap<string, number> {
  const distances = new Map<string, number>();
  for (const [part, members] of groupBy(candidates, ({ part }) => part)) {
    const best = Math.max(...(part === undefined ? candidates : members).map(finiteLogOdds));
    let odds = -Infinity;
    for (const [position, one] of [...members.entries()].reverse()) {
      odds = Math.max(odds, finiteLogOdds(one));
      distances.set(one.id, best - odds + Math.log(position + 1));
    }
  }
  return distances;
}

/** Differences of infinite log-odds would not be numbers. */
const finiteLogOdds = ({ relevance }: ContextCandidate): number =>
  logOdds(Math.min(Math.max(relevance, Number.EPSILON), 1 - Number.EPSILON));
