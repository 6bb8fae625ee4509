/** Of English; other scripts have fewer. */
const charactersPerToken = 4;

/** About how many tokens of a language model a text of so many UTF-16 units has, where nobody counts them. */
export function estimateTokens(length: number): number {
  return Math.ceil(length / charactersPerToken);
}
