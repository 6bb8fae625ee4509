import type { TokenCount } from './prices.ts';

/** An answer of the wrong shape is requested once more, in a request that quotes it. */
const mostRequests = 2;

/** The most tokens that a call can use, its repetition included, from the most that one request and its answer have. */
export function mostTokensOfCall({ inputTokens, outputTokens }: TokenCount): TokenCount {
  return {
    inputTokens: mostRequests * inputTokens + outputTokens,
    outputTokens: mostRequests * outputTokens,
  };
}
