import { STOP_WORDS } from '../text/stop-words.ts';
import { queryTerms, termCounts } from '../text/tokens.ts';

/** Least share of the content words of a sentence that must occur in its sources. */
const leastSupport = 0.6;

/** The distinct terms of a text: stemmed words without stop words, numbers, and pairs of characters where a script has no spaces. */
export const termsOf = (text: string): ReadonlySet<string> => new Set(termCounts(text).counts.keys());

/** Capitalised words other than the first of the sentence. */
const names = /(?<=\S\s+[("'“‘«]*)\p{Lu}[\p{L}\p{M}\p{N}]*/gu;
const hasDigit = /\p{N}/u;

/**
 * Whether the sources of a sentence support it, by words alone: at least 60 % of its content words occur in them, and so does every
 * number and every name, that is, every capitalised word but the first. A sentence that uses the words of its sources to say the opposite
 * passes. Its marks let a reader look up the sources.
 */
export function isSupported(sentence: string, sources: readonly ReadonlySet<string>[]): boolean {
  const isKnown = (term: string) => sources.some((terms) => terms.has(term));
  const terms = [...termsOf(sentence)];
  if (terms.length === 0) return false;
  if (terms.some((term) => hasDigit.test(term) && !isKnown(term))) return false;
  for (const [name] of sentence.matchAll(names)) if (![...termsOf(name)].some(isKnown)) return false;
  return terms.filter(isKnown).length >= leastSupport * terms.length;
}

/** Whether a text has a content word that is not among these terms of another one. */
export function saysMoreThan(text: string, terms: ReadonlySet<string>): boolean {
  return queryTerms(text).some((term) => !terms.has(term) && !STOP_WORDS.has(term));
}

/**
 * Whether a sentence has a word that occurs only in memories of other scopes in the same prompt, not in those of its own. Such sentences
 * are dropped, so that erasing a memory leaves no trace of it in the summaries of another scope.
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
