import type { TokenCount } from './prices.ts';

/** An answer of the wrong shape is requested once more, in a request that quotes it. So is one that thoughts left no room for. */
const mostRequests = 2;

/**
 * The most tokens that a call can use, its repetition included, from the most that one request and its answer have, and from those that
 * the model may use to think before it answers.
 */
export function mostTokensOfCall({ inputTokens, outputTokens }: TokenCount, thoughtTokens = 0): TokenCount {
  return {
    inputTokens: mostRequests * inputTokens + outputTokens,
    outputTokens: mostRequests * (outputTokens + thoughtTokens),
  };
}
