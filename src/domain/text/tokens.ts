import { detachedCopy } from './detached-copy.ts';
import { stem } from './porter2.ts';
import { STOP_WORDS } from './stop-words.ts';
import { truncate } from './truncate.ts';

/** Changes whenever the same text would give other terms: stored counts of another version must be made again. */
export const TOKENIZER_VERSION = 3;

/** A term is cut to this many UTF-16 units at most, and never through a character: a pasted blob must not become an index key of a megabyte. */
export const MAX_TERM_LENGTH = 64;

/** Real prose of the longest content allowed has about 6,000 distinct terms. */
export const MAX_DISTINCT_TERMS = 8_192;

export interface TermCounts {
  /** Occurrences of each distinct term, in order of first appearance; at most `MAX_DISTINCT_TERMS`. */
  readonly counts: ReadonlyMap<string, number>;
  /** Number of terms in the text, repeated ones and those beyond the cap included. */
  readonly length: number;
}

/** Scripts without spaces between their words, with the signs that they share ("ー"). */
const UNSPACED_SCRIPTS = `[${['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{scx=${script}}`)
  .join('')}]`;
/**
 * A dotted number (version, date, address) with its "v" if it has one; letters and digits of scripts without spaces, and of the
 * others, which end where they meet ("我买了iPhone手机"); a pictograph.
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

/** Lower case, compatibility forms and accents folded: "Ｃａｆé" is "cafe". */
export function fold(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text.toLowerCase();
  return text.normalize('NFKD').replace(COMBINING, '').normalize('NFC').toLowerCase();
}

/** The words of a text in order, folded; neither stemmed nor without stop words. Linear in the text. */
export function words(text: string): string[] {
  return wordsOf(fold(text));
}

/** The words of a text in order, where a word of a script without spaces counts as its characters. Linear in the text. */
export function wordSequence(text: string): string[] {
  const folded = fold(text);
  const found = wordsOf(folded);
  return UNSPACED.test(folded)
    ? found.flatMap((word) => (UNSPACED.test(word) ? Array.from(word) : [word]))
    : found;
}

function wordsOf(folded: string): string[] {
  return folded.replace(POSSESSIVE, '').match(WORD) ?? [];
}

/**
 * Counts the terms of a memory or a query: the same text always gives the same counts. Words are stemmed as English
 * and stop words left out, unless there is nothing else ("to be or not to be"). Identifiers fall apart at punctuation
 * (`snake_case`, `KEP-2313`, paths, e-mail), dotted numbers stay whole (`1.27`, also in `v1.27`), and scripts without
 * spaces give pairs of characters. Linear in the text, for content of any length.
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
  if (UNSPACED.test(word)) return pairs(word);
  return [stemOf(truncate(word, MAX_TERM_LENGTH))];
}

/** Most words of a text are among the frequent ones of its language, and to look one up is a tenth of stemming it. */
const knownStems = new Map<string, string>();
const mostKnownStems = 20_000;

function stemOf(word: string): string {
  const known = knownStems.get(word);
  if (known !== undefined) return known;
  const own = detachedCopy(word);
  const made = detachedCopy(stem(own));
  if (knownStems.size >= mostKnownStems) knownStems.clear();
  knownStems.set(own, made);
  return made;
}

function pairs(word: string): readonly string[] {
  const all = Array.from(word);
  return all.length < 2 ? all : all.slice(1).map((character, i) => `${all[i]}${character}`);
}
