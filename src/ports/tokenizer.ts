/** Counts tokens of a language model. */
export interface Tokenizer {
  readonly name: string;
  /** Loads the vocabulary at the first call. */
  counter(): Promise<TokenCounter>;
}

/**
 * Number of tokens of a text. Infinite for a text with an unbroken run of letters or signs that would take seconds: the time grows
 * with the square of its length.
 */
export type TokenCounter = (text: string) => number;
