import { fold } from '../text/tokens.ts';
import { tokensOf, type Token } from './short-texts.ts';
import { isNumberWord, isNumeral, plainNumber } from './values.ts';

/** One short sentence that says something about a subject that it names. */
export interface Assertion {
  readonly tokens: readonly Token[];
  /** The words in the form in which they are compared: lower case, numbers as digits, not stemmed, without a leading "the". */
  readonly words: readonly string[];
  /** The assertion without its negation; undefined if it is not negated. */
  readonly negated: NegatedAssertion | undefined;
  /** Whether it contains "I", "my" or "me". Only the memory's scope tells who that is. */
  readonly isPersonal: boolean;
}

export interface NegatedAssertion {
  readonly words: readonly string[];
  /** Index of a verb that lost its ending to "does": "uses" in "does not use". */
  readonly verb: number | undefined;
}

/** In UTF-16 units. */
const maxLength = 200;
const minWords = 3;
const maxWords = 12;

/** Matches text that is not a single plain sentence: several sentences or clauses, lists, tables, code, headings, quotes. */
const NOT_ONE_SENTENCE = /[?!;…"“”()[\]{}<>|=*#~\n—–]|[.:]\s|:$|,\s(?!\d{4}\b)|\s-+\s|^\s*-/;
const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));
/** First words that do not identify the subject: two such sentences can be about two things. */
const VAGUE_SUBJECTS = set(
  'it he she they you this that these those there here his her its their your what which who whose how why where when ' +
    'a an some any many most several few another other others someone somebody something anyone anybody no not nobody none ' +
    'never please do does is are can will would did was were has have at least',
);
const EXISTENTIAL = set('a an some many most several few another any');
const PERSONAL = set('i my me');
/** Words of possibility, frequency and condition: such sentences do not assert a fact. */
export const HEDGED = set(
  'if when whenever unless while until whether because since though although maybe perhaps might could would probably possibly ' +
    'sometimes often usually occasionally rarely seldom partly ' +
    'suppose assume say imagine let',
);
/** Words whose meaning depends on the day of writing. */
const RELATIVE = set('today tonight yesterday tomorrow last this ago');
const BE = set('is are am was were');
const NEGATABLE = new Set([...BE, ...set('can will should must shall has have')]);
const NEGATIVE = set('not never no without none nothing');
/** After these verbs "no" negates the object; in "said no" it does not. */
const HAVING = set('is are has have needs need uses use takes take');

/** Parses a text as an assertion; undefined if it is anything else, or too vague to compare. */
export function parseAssertion(text: string): Assertion | undefined {
  const trimmed = text.trim();
  if (trimmed.length > maxLength + 1) return undefined;
  const sentence = trimmed.replace(/[.!]$/, '').replaceAll('’', "'");
  if (sentence.length > maxLength || NOT_ONE_SENTENCE.test(sentence)) return undefined;
  const all = tokensOf(spelledOut(sentence));
  const tokens = /^the$/i.test(all[0]?.text ?? '') ? all.slice(1) : all;
  if (all.length < minWords || all.length > maxWords) return undefined;
  const words = tokens.map(({ text: word }) => plainNumber(fold(word)));
  const [first] = words as [string];
  const verb = words.findIndex((word) => BE.has(word));
  const subject = words.slice(0, verb === -1 ? 1 : verb);
  if (VAGUE_SUBJECTS.has(first) || isNumeral(first) || isNumberWord(first)) return undefined;
  if (subject.some((word) => EXISTENTIAL.has(word))) return undefined;
  // Only the capitalized "May" is a month.
  if (
    words.some((word) => HEDGED.has(word) || RELATIVE.has(word)) ||
    tokens.some(({ text: word }) => word === 'may')
  )
    return undefined;
  const negated = findNegation(words);
  if (negated === 'unclear') return undefined;
  return { tokens, words, negated, isPersonal: words.some((word) => PERSONAL.has(word)) };
}

function spelledOut(sentence: string): string {
  return sentence
    .replaceAll(/\b(?:can't|cannot)\b/gi, 'can not')
    .replaceAll(/\bwon't\b/gi, 'will not')
    .replaceAll(/(?<=\p{L})n't\b/gu, ' not')
    .replaceAll(/\bI'm\b/g, 'I am');
}

/** The assertion without its negation. Undefined if there is no negation, `unclear` for other kinds of negation or several. */
function findNegation(words: readonly string[]): NegatedAssertion | undefined | 'unclear' {
  const at = words.findIndex((word) => word === 'not' || word === 'never' || word === 'no');
  if (at === -1) return words.includes('without') || words.includes('did') ? 'unclear' : undefined;
  const [before, after] = [words[at - 1], words[at + 1]];
  const rest = (from: number, to: number) => [...words.slice(0, from), ...words.slice(to)];
  if (rest(at, at + 1).some((word) => NEGATIVE.has(word))) return 'unclear';
  if (before === undefined || after === undefined) return 'unclear';
  if (words[at] === 'never') return { words: rest(at, at + 1), verb: undefined };
  if (words[at] === 'no') {
    if (after === 'longer') return { words: rest(at, at + 2), verb: undefined };
    return HAVING.has(before) ? { words: rest(at, at + 1), verb: undefined } : 'unclear';
  }
  if (before === 'do' || before === 'does')
    return at < 2 ? 'unclear' : { words: rest(at - 1, at + 1), verb: before === 'does' ? at - 1 : undefined };
  return NEGATABLE.has(before) ? { words: rest(at, at + 1), verb: undefined } : 'unclear';
}

/**
 * Index pairs of assertions that may have the same subject, which means the same first word. The smaller index comes first.
 * Undefined entries are skipped.
 */
export function assertionPairs(
  assertions: readonly (Assertion | undefined)[],
): (readonly [left: number, right: number])[] {
  const holders = new Map<string, number[]>();
  return assertions.flatMap((assertion, right) => {
    const first = assertion?.words[0];
    if (first === undefined) return [];
    const before = holders.get(first) ?? [];
    holders.set(first, [...before, right]);
    return before.map((left) => [left, right] as const);
  });
}
