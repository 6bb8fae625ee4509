import { fold } from '../text/tokens.ts';
import { tokensOf, type Token } from './passages.ts';
import { isNumberWord, isNumeral, plainNumber } from './values.ts';

/** One short sentence that says something of a subject it names. */
export interface Assertion {
  readonly tokens: readonly Token[];
  /** As they are compared: in lower case, numbers as digits, not stemmed; without "the" in front. */
  readonly words: readonly string[];
  /** What it negates, as it would be said without the negation; undefined where it negates nothing. */
  readonly negated: NegatedAssertion | undefined;
  /** Whether it says "I" or "my": of whom, its scope tells alone. */
  readonly isPersonal: boolean;
}

export interface NegatedAssertion {
  readonly words: readonly string[];
  /** Where a verb stands that has lost its ending to "do" or "does". */
  readonly verb: number | undefined;
}

const leastWords = 3;
const mostWords = 12;

/** What ends a sentence or a clause within a text, or is no sentence at all: lists, tables, code, headings, quotes. */
const BROKEN = /[?!;…"“”()[\]{}<>|=*#~\n—–]|[.:]\s|:$|,\s(?!\d{4}\b)|\s-+\s|^\s*-/;
const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));
/** Of the subject they tell too little: two such may be two things. */
const VAGUE = set(
  'it he she they you this that these those there here his her its their your what which who whose how why where when ' +
    'a an some any many most several few another other others someone somebody something anyone anybody no not nobody none ' +
    'never please do does is are can will would did was were has have at least',
);
const EXISTENTIAL = set('a an some many most several few another any');
const PERSONAL = set('i my me');
/** What may be, is at times, or on a condition. */
export const HEDGED = set(
  'if when whenever unless while until whether because since though although maybe perhaps might could would probably possibly ' +
    'sometimes often usually occasionally rarely seldom partly ' +
    'suppose assume say imagine let',
);
/** The day of writing alone tells the day. */
const RELATIVE = set('today tonight yesterday tomorrow last this ago');
const BE = set('is are am was were');
const DENIABLE = new Set([...BE, ...set('can will should must shall has have')]);
const NEGATIVE = set('not never no without none nothing');
/** "no" behind these is an article; "said no" is none. */
const HAVING = set('is are has have needs need uses use takes take');

export function parseAssertion(text: string): Assertion | undefined {
  const sentence = text.trim().replace(/[.!]$/, '').replaceAll('’', "'");
  if (sentence.length > 200 || BROKEN.test(sentence)) return undefined;
  const all = tokensOf(spelledOut(sentence));
  const tokens = /^the$/i.test(all[0]?.text ?? '') ? all.slice(1) : all;
  if (all.length < leastWords || all.length > mostWords) return undefined;
  const words = tokens.map(({ text: word }) => plainNumber(fold(word)));
  const [first] = words as [string];
  const verb = words.findIndex((word) => BE.has(word));
  const subject = words.slice(0, verb === -1 ? 1 : verb);
  if (VAGUE.has(first) || isNumeral(first) || isNumberWord(first)) return undefined;
  if (subject.some((word) => EXISTENTIAL.has(word))) return undefined;
  // "may" is a month with a capital letter.
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

/** The assertion without its negation; undefined without one, unclear where it is of another kind, or there are two. */
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
  return DENIABLE.has(before) ? { words: rest(at, at + 1), verb: undefined } : 'unclear';
}

/**
 * The places of assertions that could be of one subject, two by two, the lesser first: they begin with the same word. What
 * is no assertion is undefined.
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
