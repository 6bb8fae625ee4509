import { STOP_WORDS } from './stop-words.ts';
import { words } from './tokens.ts';

/** Tags and entities of markup: "<br>", "&nbsp;". */
const MARKUP = /<\/?[a-z][^<>]*>|&#?\w+;/gi;
/** Two letters, or one of a script that writes a word or a syllable with one. */
const WORD = /\p{L}.*\p{L}|[\p{Script=Han}\p{Script=Hangul}]/u;

/**
 * Whether a text has words whose meaning can be compared. Punctuation, emoji, numbers, single letters, tags and a lone stop word have
 * none: an embedding model gives them a vector too, but what it is near to says nothing.
 */
export function carriesMeaning(text: string): boolean {
  const found = words(text.replaceAll(MARKUP, ' '));
  return found.some((word) => WORD.test(word)) && !(found.length === 1 && STOP_WORDS.has(found[0]!));
}
