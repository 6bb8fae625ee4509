import { completed, type Steps } from '../steps.ts';
import { detachedCopy } from './detached-copy.ts';
import { fold, foldExceptCase, lowered } from './fold.ts';
import { piecesOf } from './pieces.ts';
import { stem } from './porter2.ts';
import { STOP_WORDS } from './stop-words.ts';
import { truncate } from './truncate.ts';
import { arabicForms, camelCaseParts, hebrewForms, nounOfOneSyllable, pairs } from './word-forms.ts';
import { GROUPED_NUMBERS, groupsOf, otherNumbers, ungrouped } from './written-numbers.ts';

export { fold };

/** Increased whenever a text would give different terms, so that stored counts of older versions are rebuilt. */
export const TOKENIZER_VERSION = 4;

/** Maximum length of a term in UTF-16 units. Longer ones are cut at a character, so that pasted data does not become an index key of a megabyte. */
export const MAX_TERM_LENGTH = 64;

/** Maximum number of distinct terms. Prose of the maximum content length has about 6,000. */
export const MAX_DISTINCT_TERMS = 8_192;

export interface TermCounts {
  /** Occurrences of each distinct term, in order of first appearance; at most `MAX_DISTINCT_TERMS`. */
  readonly counts: ReadonlyMap<string, number>;
  /**
   * Number of terms in the text, including repetitions and those above the maximum of distinct terms, without parts of compounds:
   * "GitHub" is as long as "github".
   */
  readonly length: number;
}

const script = (...names: string[]) => `[${names.map((name) => `\\p{scx=${name}}`).join('')}]`;
/** Scripts that put no spaces between words, with the characters that they share ("ー"). */
const UNSPACED_SCRIPTS = script('Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar');
const HANGUL = String.raw`\p{Script=Hangul}`;
const ARABIC = String.raw`\p{Script=Arabic}`;
const HEBREW = String.raw`\p{Script=Hebrew}`;
const APART = `[${UNSPACED_SCRIPTS}${HANGUL}${ARABIC}${HEBREW}]`;
/**
 * A dotted number (version, date, address) with an optional "v"; a run of letters and digits, which ends where the script changes to
 * or from one that is analysed in another way ("我买了iPhone手机", "API는"); or a pictograph.
 */
const WORD = [
  String.raw`[vV]?\p{N}+(?:\.\p{N}+)+`,
  String.raw`[${UNSPACED_SCRIPTS}&&[\p{L}\p{M}\p{N}]]+`,
  String.raw`[${HANGUL}&&\p{L}]+`,
  String.raw`[[${ARABIC}${HEBREW}]&&[\p{L}\p{M}]]+`,
  String.raw`[[\p{L}\p{N}]--${APART}][[\p{L}\p{M}\p{N}]--${APART}]*`,
  String.raw`\p{Extended_Pictographic}`,
].join('|');
const WORDS = new RegExp(WORD, 'gv');
/** Like `WORD`, but also matches grouped numbers. It is slower, and hardly any text needs it. */
const WORDS_AND_GROUPED_NUMBERS = new RegExp([...GROUPED_NUMBERS, WORD].join('|'), 'gv');
const MAY_BE_GROUPED = /\d[,.'’]\d{3}/;
const POSSESSIVE = /(?<=\p{L})['’][sS](?!\p{L})/gu;
const UNSPACED = new RegExp(UNSPACED_SCRIPTS, 'v');

/** How the words of a script are analysed; the first entry that matches applies. English is not among them. */
const ANALYSES: readonly (readonly [RegExp, (word: string) => readonly string[]])[] = [
  [UNSPACED, pairs],
  [/^\p{Script=Hangul}/u, pairs],
  [/^\p{Script=Arabic}/u, arabicForms],
  [/^\p{Script=Hebrew}/u, hebrewForms],
];

/** The folded words of a text in order, including stop words, not stemmed. Linear in the length of the text. */
export function words(text: string): string[] {
  return tokensOf(text).map(wordOf);
}

/** Like `words`, but words of scripts without spaces are split into characters. Linear in the length of the text. */
export function wordSequence(text: string): string[] {
  const all = words(text);
  return UNSPACED.test(text) ? all.flatMap((word) => (UNSPACED.test(word) ? Array.from(word) : [word])) : all;
}

/** The words as they are written, except for folding. */
function tokensOf(text: string): string[] {
  const folded = foldExceptCase(text).replace(POSSESSIVE, '');
  return folded.match(MAY_BE_GROUPED.test(folded) ? WORDS_AND_GROUPED_NUMBERS : WORDS) ?? [];
}

function wordOf(token: string): string {
  return ungrouped(lowered(token));
}

/**
 * Counts the terms of a memory; deterministic. Words are stemmed as English, and stop words are left out unless the text has
 * nothing else ("to be or not to be"). Identifiers are split at punctuation (`snake_case`, `KEP-2313`, paths, e-mail addresses); the
 * parts of CamelCase are counted beside the whole. Numbers are the same with and without separators of thousands, dotted ones stay
 * whole (`1.27`, also in `v1.27`). Scripts without spaces give pairs of characters, Korean pairs of syllables; Arabic and
 * Hebrew words count with and without their articles and prepositions. Linear in the length of the text.
 */
export function termCounts(text: string): TermCounts {
  return completed(termCountSteps(text));
}

/** The same in steps, for a text of a megabyte. */
export function* termCountSteps(text: string): Steps<TermCounts> {
  const tokens = yield* countsOf(text);
  const { counts, length } = yield* wholesOf(tokens);
  let seen = 0;
  for (const [token, count] of tokens) {
    for (const part of partsOf(token)) add(counts, stemOf(cut(part)), count);
    if (++seen % wordsPerStep === 0) yield;
  }
  return { counts, length };
}

/** Words that are analysed in one step. */
const wordsPerStep = 1_024;

/**
 * The distinct terms of a query. The parts of compounds are not among them: a memory with the whole has its parts too, and "GitHub"
 * asks for what "github" asks for.
 */
export function queryTerms(text: string): string[] {
  return [...completed(wholesOf(completed(countsOf(text)))).counts.keys()];
}

/** The terms without parts of compounds. */
function* wholesOf(tokens: ReadonlyMap<string, number>): Steps<{
  readonly counts: Map<string, number>;
  readonly length: number;
}> {
  const byWord = new Map<string, number>();
  for (const [token, count] of tokens) {
    const word = wordOf(token);
    byWord.set(word, (byWord.get(word) ?? 0) + count);
  }
  const content = [...byWord].filter(([word]) => !STOP_WORDS.has(word));
  const counts = new Map<string, number>();
  let [length, seen] = [0, 0];
  yield;
  for (const [word, count] of content.length > 0 ? content : byWord) {
    for (const term of termsOf(word)) {
      length += count;
      add(counts, term, count);
    }
    if (++seen % wordsPerStep === 0) yield;
  }
  return { counts, length };
}

function* countsOf(text: string): Steps<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const piece of piecesOf(text)) {
    for (const token of tokensOf(piece)) counts.set(token, (counts.get(token) ?? 0) + 1);
    yield;
  }
  return counts;
}

function add(counts: Map<string, number>, term: string, count: number): void {
  const known = counts.get(term);
  if (known !== undefined || counts.size < MAX_DISTINCT_TERMS) counts.set(term, (known ?? 0) + count);
}

/** The parts of CamelCase, of a number whose commas may separate a list, and of a syllable with a particle. */
function partsOf(token: string): readonly string[] {
  if (/^\d/.test(token)) return groupsOf(token);
  if (/^\p{Script=Hangul}/u.test(token)) return nounOfOneSyllable(token);
  return camelCaseParts(token).filter((part) => !STOP_WORDS.has(part));
}

function termsOf(word: string): readonly string[] {
  if (/^[\0-\x7f]/.test(word)) return [plainTerm(word), ...otherNumbers(word).map(cut)];
  const [, analyse] = ANALYSES.find(([letters]) => letters.test(word)) ?? [];
  return analyse ? analyse(word).map(cut) : [plainTerm(word)];
}

function plainTerm(word: string): string {
  return word.includes('.') ? cut(word.replace(/^v/, '')) : stemOf(cut(word));
}

function cut(term: string): string {
  return truncate(term, MAX_TERM_LENGTH);
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
