import { detachedCopy } from './detached-copy.ts';
import { stem } from './porter2.ts';
import { STOP_WORDS } from './stop-words.ts';
import { truncate } from './truncate.ts';

/** Increased whenever a text would give different terms, so that stored counts of older versions are rebuilt. */
export const TOKENIZER_VERSION = 3;

/** Maximum length of a term in UTF-16 units. Longer ones are cut at a character, so that pasted data does not become an index key of a megabyte. */
export const MAX_TERM_LENGTH = 64;

/** Prose of the maximum content length has about 6,000 distinct terms. */
export const MAX_DISTINCT_TERMS = 8_192;

export interface TermCounts {
  /** Occurrences of each distinct term, in order of first appearance; at most `MAX_DISTINCT_TERMS`. */
  readonly counts: ReadonlyMap<string, number>;
  /** Number of terms in the text, including repetitions and those above the maximum of distinct terms. */
  readonly length: number;
}

/** Scripts that put no spaces between words, with the characters that they share ("ー"). */
const UNSPACED_SCRIPTS = `[${['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{scx=${script}}`)
  .join('')}]`;
/**
 * Matches a dotted number (version, date, address) with an optional "v"; a run of letters and digits, which ends where scripts
 * with and without spaces meet ("我买了iPhone手机"); or a pictograph.
 */
const WORD = new RegExp(
  [
    String.raw`v?\p{N}+(?:\.\p{N}+)+`,
    String.raw`[${UNSPACED_SCRIPTS}&&[\p{L}\p{M}\p{N}]]+`,
    String.raw`[[\p{L}\p{N}]--${UNSPACED_SCRIPTS}][[\p{L}\p{M}\p{N}]--${UNSPACED_SCRIPTS}]*`,
    String.raw`\p{Extended_Pictographic}`,
  ].join('|'),
  'gv',
);
const POSSESSIVE = /(?<=\p{L})['’]s(?!\p{L})/gu;
const COMBINING = /[\u0300-\u036f]/g;
const UNSPACED = new RegExp(UNSPACED_SCRIPTS, 'v');

/** Converts to lower case and removes accents and compatibility forms: "Ｃａｆé" becomes "cafe". */
export function fold(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text.toLowerCase();
  return text.normalize('NFKD').replace(COMBINING, '').normalize('NFC').toLowerCase();
}

/** The folded words of a text in order, including stop words, not stemmed. Linear in the length of the text. */
export function words(text: string): string[] {
  return wordsOf(fold(text));
}

/** Like `words`, but words of scripts without spaces are split into characters. Linear in the length of the text. */
export function wordSequence(text: string): string[] {
  const folded = fold(text);
  const all = wordsOf(folded);
  return UNSPACED.test(folded)
    ? all.flatMap((word) => (UNSPACED.test(word) ? Array.from(word) : [word]))
    : all;
}

function wordsOf(folded: string): string[] {
  return folded.replace(POSSESSIVE, '').match(WORD) ?? [];
}

/**
 * Counts the terms of a memory or a query; deterministic. Words are stemmed as English, and stop words are left out unless the
 * text has nothing else ("to be or not to be"). Identifiers are split at punctuation (`snake_case`, `KEP-2313`, paths, e-mail
 * addresses), dotted numbers stay whole (`1.27`, also in `v1.27`), and scripts without spaces give character bigrams. Linear in
 * the length of the text.
 */
export function termCounts(text: string): TermCounts {
  const byWord = new Map<string, number>();
  for (const word of words(text)) byWord.set(word, (byWord.get(word) ?? 0) + 1);

  const content = [...byWord].filter(([word]) => !STOP_WORDS.has(word));
  const counts = new Map<string, number>();
  let length = 0;
  for (const [word, count] of content.length > 0 ? content : byWord) {
    for (const term of termsOf(word)) {
      length += count;
      const known = counts.get(term);
      if (known !== undefined || counts.size < MAX_DISTINCT_TERMS) counts.set(term, (known ?? 0) + count);
    }
  }
  return { counts, length };
}

function termsOf(word: string): readonly string[] {
  if (word.includes('.')) return [truncate(word.startsWith('v') ? word.slice(1) : word, MAX_TERM_LENGTH)];
  if (UNSPACED.test(word)) return bigrams(word);
  return [stemOf(truncate(word, MAX_TERM_LENGTH))];
}

/** Cache of stems: most words of a text are frequent ones, and a lookup takes a tenth of the time of stemming. */
const knownStems = new Map<string, string>();
const maxKnownStems = 20_000;

function stemOf(word: string): string {
  const known = knownStems.get(word);
  if (known !== undefined) return known;
  const key = detachedCopy(word);
  const stemmed = detachedCopy(stem(key));
  if (knownStems.size >= maxKnownStems) knownStems.clear();
  knownStems.set(key, stemmed);
  return stemmed;
}

function bigrams(word: string): readonly string[] {
  const characters = Array.from(word);
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, i) => `${characters[i]}${character}`);
}
