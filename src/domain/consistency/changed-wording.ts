import { STOP_WORDS } from '../text/stop-words.ts';
import { align, type Gap } from './alignment.ts';
import { HEDGED, type Assertion } from './assertions.ts';
import { findConflict, type Conflict } from './conflict.ts';
import { orderByAge } from './order-by-age.ts';
import { isContent, type Passage, type Token } from './passages.ts';
import type { Statement } from './statement.ts';
import { haveSameSpeaker, mayDescribeSameEntity } from './subject.ts';
import { plainNumber } from './values.ts';
import type { Difference, Verdict } from './verdict.ts';

/** Of all words of two passages so large a share is the same, and so many of these carry meaning. */
const leastAlike = 0.7;
const leastContent = 3;
/** So many words with meaning stand before what differs: what begins a sentence says what it is about. */
const leastBefore = 2;
const longestGap = 4;

const NEGATIONS = new Set(
  "not no never none cannot without can't don't doesn't didn't isn't aren't wasn't weren't won't hasn't haven't hadn't".split(
    ' ',
  ),
);
/** What comes and goes with a negation. */
const AUXILIARIES = new Set('do does did is are was were has have had will would can be been any'.split(' '));
const CALENDAR =
  /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november|december|(?:19|20)\d\d(?:-\d\d(?:-\d\d)?)?)$/;
const DAY = /^[0-3]?\d(?:st|nd|rd|th)?$/;
const NUMBERS = new Set(
  'zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred'.split(
    ' ',
  ),
);
/** A number behind one of these names a thing. */
const NUMBERED =
  /^(?:step|phase|sprint|chapter|section|part|question|problem|exercis|task|item|day|week|figur|tabl|option|issu)$/;

type PassageDifference = Exclude<Difference, 'word'>;

const confidenceOf: Readonly<Record<PassageDifference, number>> = {
  number: 0.8,
  date: 0.8,
  negation: 0.8,
  name: 0.6,
};

/** A text as it is compared: whole, and as a short assertion. */
export interface Wording {
  readonly text: string;
  readonly passage: Passage | undefined;
  readonly assertion: Assertion | undefined;
}

/** The text of one memory that is the text of the other but for a number, a date, a negation, a name or a word. */
export function compareWording(
  left: Statement,
  right: Statement,
  wordings: readonly [Wording, Wording],
): Verdict | undefined {
  const found = mayDescribeSameEntity(left, right) ? findConflictOf(left, right, wordings) : undefined;
  if (!found) return undefined;
  const { difference, words, confidence } = found;
  const order = orderByAge(left, right);
  const turned = <T>(pair: readonly [T, T]): readonly [T, T] =>
    order?.newer === left ? [pair[1], pair[0]] : pair;
  const shown = turned(words);
  const reason = {
    code: 'wording' as const,
    detail: `the same text with another ${difference}: ${JSON.stringify(shown[0])}, ${JSON.stringify(shown[1])}`,
    confidence,
    difference,
    words: shown,
    passages: turned([wordings[0].text, wordings[1].text]),
  };
  return order
    ? { kind: 'supersession', older: order.older.id, newer: order.newer.id, reason }
    : { kind: 'contradiction', memories: [left.id, right.id], reason };
}

function findConflictOf(
  left: Statement,
  right: Statement,
  [{ passage, assertion }, { passage: otherPassage, assertion: otherAssertion }]: readonly [Wording, Wording],
): Conflict | undefined {
  const areAssertions = assertion !== undefined && otherAssertion !== undefined;
  const isOneSpeaker = !(assertion?.isPersonal ?? false) || haveSameSpeaker(left, right);
  const conflict = areAssertions && isOneSpeaker ? findConflict(assertion, otherAssertion) : undefined;
  if (conflict || !passage || !otherPassage) return conflict;
  const difference = differenceOf(passage, otherPassage);
  // What a short assertion negates is told to the word: "used" is not what "does not use" negates.
  return areAssertions && difference?.difference === 'negation' ? undefined : difference;
}

/** How two passages differ in one thing, with its words; undefined where they do not, or differ in more. */
function differenceOf(left: Passage, right: Passage): Conflict | undefined {
  const { shared, gaps } = align(left.tokens, right.tokens);
  if ((2 * shared.length) / (left.tokens.length + right.tokens.length) < leastAlike) return undefined;
  if (shared.filter(isContent).length < leastContent) return undefined;
  const telling = gaps.filter((gap) => !isIdle(gap));
  const [gap] = telling;
  if (!gap || telling.length > 1) return undefined;
  const difference = kindOf(gap);
  if (!difference) return undefined;
  if (difference !== 'negation' && gap.before.filter(isContent).length < leastBefore) return undefined;
  return { difference, words: [textOf(gap.left), textOf(gap.right)], confidence: confidenceOf[difference] };
}

function kindOf({ left, right, before }: Gap): PassageDifference | undefined {
  if (left.length > longestGap || right.length > longestGap) return undefined;
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

/** Words that say nothing by themselves. */
function isIdle({ left, right }: Gap): boolean {
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

/** Names of days and months and years, with or without the days of a month. */
function isDate(tokens: readonly Token[]): boolean {
  return tokens.some(isCalendar) && tokens.every((token) => isCalendar(token) || DAY.test(token.key));
}

function isCalendar({ text }: Token): boolean {
  return CALENDAR.test(text.toLowerCase());
}

/** Capitals, digits or signs inside of it. */
function isName({ text }: Token): boolean {
  return /^\p{Lu}/u.test(text) || /[\p{N}_]/u.test(text) || /\p{Ll}\p{Lu}/u.test(text);
}

function amountOf(tokens: readonly Token[]): string {
  return tokens.map(({ key }) => plainNumber(key)).join(' ');
}

function textOf(tokens: readonly Token[]): string {
  return tokens.map(({ text }) => text).join(' ');
}
