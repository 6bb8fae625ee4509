import { chooserOf, compare, evidenceFor, hasExplicitOutcome, type Evaluation } from './estimators.ts';
import type { LoggedDecision } from './logged-decision.ts';
import { evidenceForLook } from './looks.ts';
import { candidateOf, type Base, type PolicyHistory } from './policy-history.ts';
import { decideInForce, decidePromotion, leastLive, type Verdict } from './promotion.ts';
import type { RoutePolicy } from './route-policy.ts';

/** How a version compares with another one, and what follows from that. */
export interface VersionComparison {
  /** Never the version itself, which would say nothing. */
  readonly comparedWith: RoutePolicy;
  readonly evaluation: Evaluation;
  readonly verdict: Verdict;
  readonly reason: string;
  /** Matched deviations that the verdict needs. */
  readonly needed: number;
}

/**
 * Compares a version with the one in force, on decisions that it did not learn from. The version in force is compared with its
 * predecessor, on the decisions by which it would be rolled back. A rule that nothing preceded is compared with the candidate.
 *
 * @param decisions Those since traffic last changed.
 */
export function compareVersion(
  policy: RoutePolicy,
  history: PolicyHistory,
  base: Base,
  decisions: readonly LoggedDecision[],
): VersionComparison {
  const { incumbent, earlier, looks } = history;
  const between = (evidence: readonly LoggedDecision[], comparedWith: RoutePolicy) => ({
    comparedWith,
    evaluation: compare(evidence, chooserOf(policy), chooserOf(comparedWith)),
  });
  if (policy.version !== incumbent.version) {
    const compared = between(evidenceFor(policy, decisions), incumbent);
    const { verdict, reason } = decidePromotion(compared.evaluation, looks);
    return { ...compared, verdict, reason, needed: evidenceForLook(looks) };
  }
  const before = earlier.at(-1);
  if (before) {
    const compared = between(decisions.filter(hasExplicitOutcome), before);
    return { ...compared, ...decideInForce(compared.evaluation), needed: leastLive };
  }
  const candidate = candidateOf(history, base);
  return {
    ...between(evidenceFor(candidate, decisions), candidate),
    verdict: 'keep-collecting',
    reason: `nothing was in force before it; the evaluation of ${candidate.version} says what its promotion needs`,
    needed: evidenceForLook(looks),
  };
}
