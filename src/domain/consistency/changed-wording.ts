import { STOP_WORDS } from '../text/stop-words.ts';
import { align, type Gap } from './alignment.ts';
import { HEDGED, type Assertion } from './assertions.ts';
import { findConflict, type Conflict } from './conflict.ts';
import { orderByAge } from './order-by-age.ts';
import { isContent, type ShortText, type Token } from './short-texts.ts';
import type { ComparableMemory } from './comparable-memory.ts';
import { haveSameSpeaker, mayDescribeSameEntity } from './same-entity.ts';
import { plainNumber } from './values.ts';
import type { Difference, Verdict } from './verdict.ts';

/** Minimum share of shared words, 2s / (n + m). */
const minSimilarity = 0.7;
/** Minimum number of shared words that carry meaning. */
const minContentWords = 3;
/** Minimum number of meaningful words before the difference, since the beginning of a sentence says what it is about. */
const minContentWordsBefore = 2;
const maxGapWords = 4;

const NEGATIONS = new Set(
  "not no never none cannot without can't don't doesn't didn't isn't aren't wasn't weren't won't hasn't haven't hadn't".split(
    ' ',
  ),
);
/** Words that appear or disappear with a negation. */
const AUXILIARIES = new Set('do does did is are was were has have had will would can be been any'.split(' '));
const CALENDAR =
  /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november|december|(?:19|20)\d\d(?:-\d\d(?:-\d\d)?)?)$/;
const DAY = /^[0-3]?\d(?:st|nd|rd|th)?$/;
const NUMBERS = new Set(
  'zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred'.split(
    ' ',
  ),
);
/** Stems after which a number is a name: "step 3". */
const NUMBERED =
  /^(?:step|phase|sprint|chapter|section|part|question|problem|exercis|task|item|day|week|figur|tabl|option|issu|ticket|invoic|note|fact|number|no|nr|adr|pep|kep|eip|rfc|pr)$/;

type WordingDifference = Exclude<Difference, 'word'>;

const confidenceOf: Readonly<Record<WordingDifference, number>> = {
  number: 0.8,
  date: 0.8,
  negation: 0.8,
  name: 0.6,
};

/** A text in the forms in which it is compared: as a short text and as an assertion. */
export interface Wording {
  readonly text: string;
  readonly shortText: ShortText | undefined;
  readonly assertion: Assertion | undefined;
}

/** Finds out whether two texts are the same apart from one number, date, negation, name or mutually exclusive word. */
export function compareWording(
  left: ComparableMemory,
  right: ComparableMemory,
  wordings: readonly [Wording, Wording],
): Verdict | undefined {
  const conflict = mayDescribeSameEntity(left, right) ? findTextConflict(left, right, wordings) : undefined;
  if (!conflict) return undefined;
  const { difference, words, confidence } = conflict;
  const order = orderByAge(left, right);
  const olderFirst = <T>(pair: readonly [T, T]): readonly [T, T] =>
    order?.newer === left ? [pair[1], pair[0]] : pair;
  const orderedWords = olderFirst(words);
  const reason = {
    code: 'wording' as const,
    detail: `the same text with another ${difference}: ${JSON.stringify(orderedWords[0])}, ${JSON.stringify(orderedWords[1])}`,
    confidence,
    difference,
    words: orderedWords,
    passages: olderFirst([wordings[0].text, wordings[1].text]),
  };
  return order
    ? { kind: 'supersession', older: order.older.id, newer: order.newer.id, reason }
    : { kind: 'contradiction', memories: [left.id, right.id], reason };
}

function findTextConflict(
  left: ComparableMemory,
  right: ComparableMemory,
  [{ shortText, assertion }, { shortText: otherShortText, assertion: otherAssertion }]: readonly [
    Wording,
    Wording,
  ],
): Conflict | undefined {
  const areAssertions = assertion !== undefined && otherAssertion !== undefined;
  const isOneSpeaker = !(assertion?.isPersonal ?? false) || haveSameSpeaker(left, right);
  const conflict = areAssertions && isOneSpeaker ? findConflict(assertion, otherAssertion) : undefined;
  if (conflict || !shortText || !otherShortText) return conflict;
  const difference = differenceOf(shortText, otherShortText);
  // `findConflict` has already compared negations exactly: "does not use" does not negate "used".
  return areAssertions && difference?.difference === 'negation' ? undefined : difference;
}

/** The single difference between two short texts; undefined if there is none or more than one. */
function differenceOf(left: ShortText, right: ShortText): Conflict | undefined {
  const { shared, gaps } = align(left.tokens, right.tokens);
  if ((2 * shared.length) / (left.tokens.length + right.tokens.length) < minSimilarity) return undefined;
  if (shared.filter(isContent).length < minContentWords) return undefined;
  const relevant = gaps.filter((gap) => !hasOnlyStopWords(gap));
  const [gap] = relevant;
  if (!gap || relevant.length > 1) return undefined;
  const difference = kindOf(gap);
  if (!difference) return undefined;
  if (difference !== 'negation' && gap.before.filter(isContent).length < minContentWordsBefore)
    return undefined;
  return { difference, words: [textOf(gap.left), textOf(gap.right)], confidence: confidenceOf[difference] };
}

function kindOf({ left, right, before }: Gap): WordingDifference | undefined {
  if (left.length > maxGapWords || right.length > maxGapWords) return undefined;
  if (isNegated(left) !== isNegated(right)) {
    const rest = [...left, ...right].filter(({ key }) => !NEGATIONS.has(key) && !AUXILIARIES.has(key));
    const isHedged = before.some(({ text }) => HEDGED.has(text.toLowerCase()));
    return rest.length === 0 && !isHedged ? 'negation' : undefined;
  }
  const [own, other] = [valuesOf(left), valuesOf(right)];
  if (own.length === 0 || other.length === 0) return undefined;
  if (isDate(own) && isDate(other)) return 'date';
  if (all(own, isNumber) && all(other, isNumber)) {
    if (amountOf(own) === amountOf(other)) return undefined;
    const last = before.at(-1);
    return last && (NUMBERED.test(last.key) || isName(last)) ? undefined : 'number';
  }
  return all(own, isName) && all(other, isName) ? 'name' : undefined;
}

/** Whether a gap has only words without a meaning of their own. */
function hasOnlyStopWords({ left, right }: Gap): boolean {
  return [...left, ...right].every(
    ({ key }) => STOP_WORDS.has(key) && !NEGATIONS.has(key) && !NUMBERS.has(key),
  );
}

function isNegated(tokens: readonly Token[]): boolean {
  return tokens.some(({ key }) => NEGATIONS.has(key));
}

function valuesOf(tokens: readonly Token[]): Token[] {
  return tokens.filter(({ key }) => !STOP_WORDS.has(key));
}

function all(tokens: readonly Token[], is: (token: Token) => boolean): boolean {
  return tokens.every(is);
}

function isNumber({ key }: Token): boolean {
  return /^\p{N}/u.test(key) || NUMBERS.has(key) || key === '%';
}

/** Whether the tokens are weekdays, months or years, optionally with days of a month. */
function isDate(tokens: readonly Token[]): boolean {
  return tokens.some(isCalendar) && tokens.every((token) => isCalendar(token) || DAY.test(token.key));
}

function isCalendar({ text }: Token): boolean {
  return CALENDAR.test(text.toLowerCase());
}

/** Starts with a capital, or contains a digit, an underscore or a capital after a small letter. */
function isName({ text }: Token): boolean {
  return /^\p{Lu}/u.test(text) || /[\p{N}_]/u.test(text) || /\p{Ll}\p{Lu}/u.test(text);
}

function amountOf(tokens: readonly Token[]): string {
  return tokens.map(({ key }) => plainNumber(key)).join(' ');
}

function textOf(tokens: readonly Token[]): string {
  return tokens.map(({ text }) => text).join(' ');
}
