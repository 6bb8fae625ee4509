import { queryTerms } from '../text/tokens.ts';

/** How long after an earlier question a similar one counts as its refinement. */
export const refinedWithinMs = 10 * 60 * 1_000;

/** Share of the words that both questions have together from which they are about the same thing. */
const leastJaccard = 0.6;
/** The same where one question has hardly any words that the other lacks: words were only added or left out. */
const leastContainment = 0.8;

/**
 * Whether a question asks the same as an earlier one in other words. Compared are the sets of stemmed words without stop words:
 * at least 60 % in common, or 80 % of the shorter question contained in the longer one. The same words again are a repetition, which
 * says nothing about the first answer. A question in entirely different words is missed: there is no way to tell it from another one.
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
