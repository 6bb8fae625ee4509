/** Average for English; other scripts have fewer characters per token. */
export const charactersPerToken = 4;

/** Estimates the number of language model tokens of a text from its length in UTF-16 units. */
export function estimateTokens(length: number): number {
  return Math.ceil(length / charactersPerToken);
}
