import { AUXILIARY, NEGATING, NEGATING_PAIRS, NOT_EXCLUDING, PARTY_NOUNS } from './negation-words.ts';
import { phrase, type Span } from './question.ts';
import type { Reading } from './reading.ts';

/** Whether a value is wanted, is excluded, or stands where a negation may or may not apply to it. */
export type Stance = 'wanted' | 'unwanted' | 'unclear';

/** Ends a clause. */
export const BOUNDARY = /[,;:.?!()[\]\n]|\s[-–—]\s/;
/** Ends a sentence, too. */
export const SENTENCE_END = /[.?!\n]/;

/** Whether a word is "not", "no" or "n't". */
export function isPlainNot(reading: Reading, index: number): boolean {
  return ['not', 'no'].includes(reading.word(index)) || isContracted(reading, index);
}

/** Whether a word is the "t" of "aren't", which is a word of its own here. */
export function isContracted(reading: Reading, index: number): boolean {
  return reading.word(index) === 't' && /^['’]$/.test(reading.between(index - 1));
}

/** Whether a word excludes what stands after it. */
export function isNegation(reading: Reading, index: number): boolean {
  const [word, next, previous] = [reading.word(index), reading.word(index + 1), reading.word(index - 1)];
  if (reading.isInCondition(index)) return false;
  if ((word === 'not' || word === 'no' || isContracted(reading, index)) && NOT_EXCLUDING.has(next))
    return false;
  // "whether or not".
  if (word === 'not' && previous === 'or') return false;
  const isWithout = word === 'o' && previous === 'w' && reading.between(index - 1) === '/';
  return (
    isWithout ||
    NEGATING.has(word) ||
    NEGATING_PAIRS.get(word)?.has(next) === true ||
    isContracted(reading, index)
  );
}

/** Whether a word belongs to the name of a party and says of what kind it is: "the web team", or the name of a field. */
export function isPartyNoun(reading: Reading, index: number): boolean {
  return PARTY_NOUNS.has(reading.word(index)) || reading.namesAnyField(index);
}

export function isAuxiliary(reading: Reading, index: number): boolean {
  return AUXILIARY.has(reading.word(index));
}

/** Longest value that is recognized in a list, in words. */
const MAX_WORDS = 5;

/** The value of a field whose last word stands before `end`. */
export function valueBefore(reading: Reading, field: string, end: number): Span | undefined {
  for (let from = Math.max(0, end - MAX_WORDS); from < end; from++)
    if (isValue(reading, field, { from, to: end })) return { from, to: end };
  return undefined;
}

/** The value of a field that begins with this word. */
export function valueFrom(reading: Reading, field: string, from: number): Span | undefined {
  for (let to = Math.min(reading.question.tokens.length, from + MAX_WORDS); to > from; to--)
    if (isValue(reading, field, { from, to })) return { from, to };
  return undefined;
}

function isValue(reading: Reading, field: string, span: Span): boolean {
  return reading.valuesWritten(phrase(reading.question, span)).some((known) => known.field === field);
}
