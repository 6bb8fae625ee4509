import { termCounts } from '../text/tokens.ts';

/** Least share of the content words of a sentence that its sources must have. */
export const leastSupport = 0.6;

/** The distinct terms of a text: stemmed words without stop words, numbers, and pairs of characters where a script has no spaces. */
export const termsOf = (text: string): ReadonlySet<string> => new Set(termCounts(text).counts.keys());

/** Words that begin with a capital, other than the first of the sentence. */
const names = /(?<=\S\s+[("'“‘«]*)\p{Lu}[\p{L}\p{M}\p{N}]*/gu;
const hasDigit = /\p{N}/u;

/**
 * Whether the sources of a sentence support it, by words alone: at least 60 % of its content words occur in them (`leastSupport`), and
 * every number and every name, which is any word with a capital that is not the first. It does not notice a sentence that uses the
 * words of its sources to say the opposite, which is what the marks are for: a reader can look the source up.
 */
export function isSupported(sentence: string, sources: readonly ReadonlySet<string>[]): boolean {
  const isKnown = (term: string) => sources.some((terms) => terms.has(term));
  const terms = [...termsOf(sentence)];
  if (terms.length === 0) return false;
  if (terms.some((term) => hasDigit.test(term) && !isKnown(term))) return false;
  for (const [name] of sentence.matchAll(names)) if (![...termsOf(name)].some(isKnown)) return false;
  return terms.filter(isKnown).length >= leastSupport * terms.length;
}

/**
 * Whether a sentence has a word from the memories of another scope in the same prompt that no memory of its own scope has. Without such
 * words, the memories of one scope can be erased without a trace in the summaries of another.
 */
export function isForeign(
  sentence: string,
  own: readonly ReadonlySet<string>[],
  others: readonly ReadonlySet<string>[],
): boolean {
  return [...termsOf(sentence)].some(
    (term) => !own.some((terms) => terms.has(term)) && others.some((terms) => terms.has(term)),
  );
}
