import { queryTerms } from '../text/tokens.ts';

/** How long after an earlier question a similar one counts as its refinement. */
export const refinedWithinMs = 10 * 60 * 1_000;

/** Two questions are about the same thing if they share at least this part of all their words. */
const leastJaccard = 0.6;
/** Or if at least this part of the shorter question's words is in the longer one: words were only added or left out. */
const leastContainment = 0.8;

/**
 * Whether a question asks the same as an earlier one in other words. It compares the sets of stemmed words without stop words: they must
 * have 60 % in common, or 80 % of the shorter question must be in the longer one. The same words again are a repetition, which says
 * nothing about the first answer. A refinement in entirely different words is missed, because it looks like another question.
 */
export function isRefinement(earlier: string, later: string): boolean {
  const [before, after] = [new Set(queryTerms(earlier)), new Set(queryTerms(later))];
  const least = Math.min(before.size, after.size);
  if (least === 0) return false;
  let shared = 0;
  for (const term of before) if (after.has(term)) shared++;
  const union = before.size + after.size - shared;
  if (shared === union) return false;
  return shared / union >= leastJaccard || shared / least >= leastContainment;
}
