import type { TokenCounter, Tokenizer } from '../../ports/tokenizer.ts';

/** A run of this many characters takes about a millisecond. */
const LONG_RUN = /[\p{L}\p{M}]{1001}|[^\s\p{L}\p{N}]{1001}|\s{1001}/u;
/** The text of a memory may look like a special token, and is text all the same. */
const asText = { disallowedSpecial: new Set<string>() };

let loaded: Promise<TokenCounter> | undefined;

/** The tokenizer `o200k_base` of OpenAI's models. Its vocabulary takes half a second to load, so it is loaded when it is needed. */
export const o200k: Tokenizer = {
  name: 'o200k_base',
  counter: () => (loaded ??= load()),
};

async function load(): Promise<TokenCounter> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  return (text) => (LONG_RUN.test(text) ? Infinity : countTokens(text, asText));
}
