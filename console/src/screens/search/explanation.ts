import type { SearchExplanation } from '@stratalog/client';

/** A memory that a search has considered: a result, or one that was left out with its reason. */
export type ExplainedCandidate = SearchExplanation['candidates'][number];

type Reason = NonNullable<ExplainedCandidate['reason']>;

export const reasonWords: Readonly<Record<Reason, string>> = {
  threshold: 'its score is too low for any result',
  'no-answer': 'not even the best candidate surely answers, so nothing is shown',
  'far-behind': 'it is far behind the best result',
  superseded: 'another memory supersedes it',
  duplicate: 'a memory of a more specific layer says the same',
  combination: 'it does not bring the parts of the question together',
  'top-k': 'enough others rank higher',
};

/** How many candidates were left out for each reason, the most frequent first. */
export function reasonsOf(
  candidates: readonly Pick<ExplainedCandidate, 'reason'>[],
): (readonly [Reason, number])[] {
  const counts = new Map<Reason, number>();
  for (const { reason } of candidates) if (reason) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one);
}

/** The greatest part of a score among candidates, so that their bars have one scale. */
export function greatestPart(candidates: readonly Pick<ExplainedCandidate, 'parts'>[]): number {
  const values = candidates.flatMap(({ parts }) => parts.map(({ logOdds }) => Math.abs(logOdds)));
  return Math.max(...values, Number.EPSILON);
}
