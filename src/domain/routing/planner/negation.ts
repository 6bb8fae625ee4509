import type { Filter } from '../../filter.ts';
import type { Condition } from './conditions.ts';
import { ALL, DETERMINER, EXCLUDED, FORMER, LINKING, NEGATING_PAIRS, NOTHING } from './negation-words.ts';
import { isAboutOwnership, stanceAfter } from './negated-subject.ts';
import {
  BOUNDARY,
  isContracted,
  isNegation,
  isPartyNoun,
  isPlainNot,
  SENTENCE_END,
  valueBefore,
  type Stance,
} from './is-negation.ts';
import type { Span } from './question.ts';
import type { Reading } from './reading.ts';
import { PREPOSITIONS } from './request-words.ts';

export { isPlainNot, type Stance } from './is-negation.ts';

/** How many words before a value a negation may stand: "not written by anyone who is in the web team". */
const REACH = 10;
/** How many values of a list are looked back at. A plan has no more conditions. */
const MAX_LIST = 12;
/** How many words before "but" the word stands that makes it mean "except". */
const ALL_REACH = 6;
/** How many words before a negation another one may reverse it: "nobody other than". */
const DOUBLE_REACH = 5;
const EXCLUDING_SIGN = /(?:!=|<>|=\/=|≠|\s!)\s*["“«']?$/u;
const MINUS = /\s-$/;
const COORDINATING = new Set(['and', 'or', 'nor']);

/** How a value may be negated. */
export interface Negatable {
  /** A negation of the first value of a list applies to the others of the same kind. For known values: the name of the field. */
  readonly kind: string;
  /** Whether a verb after the value may be about it: "that api does not own". Default: false. */
  readonly mayBeSubject?: boolean;
}

/**
 * Whether the words around a value negate it. A negation applies up to the end of its clause. If words other than linking words
 * and names of fields stand between ("not resolved in 2024"), the negation may be about those.
 */
export function stanceOf(reading: Reading, span: Span, negatable: Negatable): Stance {
  return stanceInList(reading, span, negatable, MAX_LIST);
}

function stanceInList(
  reading: Reading,
  span: Span,
  { kind, mayBeSubject = false }: Negatable,
  most: number,
): Stance {
  const signs = reading.between(span.from - 1);
  if (EXCLUDING_SIGN.test(reading.between(partyStart(reading, span.from) - 1))) return 'unwanted';
  if (MINUS.test(signs) && !/^\p{N}/u.test(reading.word(span.from))) return 'unclear';
  if (EXCLUDED.has(reading.word(span.to)) && reading.word(span.to + 1) !== 'from') return 'unwanted';
  const listed = stanceOfPrevious(reading, span.from, { kind, mayBeSubject }, most);
  if (listed !== 'wanted') return listed;
  const before = stanceBefore(reading, span, kind);
  if (before !== 'wanted' || !mayBeSubject) return before;
  return stanceAfter(reading, span, kind);
}

/** Whether a value makes a condition. A negated bound ("not since 2020") does not say what is wanted instead, so it makes none. */
export function isUnderstood({ stance, ordering }: { stance: Stance; ordering?: unknown }): boolean {
  return ordering === undefined ? stance !== 'unclear' : stance === 'wanted';
}

/** The filter of a condition whose words mean `filter`: negated if they are unwanted. */
export function asMeant(stance: Stance, filter: Filter): Pick<Condition, 'filter' | 'isUnwanted'> {
  return stance === 'unwanted' ? { filter: { kind: 'not', filter }, isUnwanted: true } : { filter };
}

/** The stance of the value before this one in a list: "not in 2023, 2024 or 2025", "except team api and team web". */
function stanceOfPrevious(reading: Reading, from: number, negatable: Negatable, most: number): Stance {
  const { kind } = negatable;
  let at = from - 1;
  while (!isComma(reading, at) && isListFiller(reading, at)) at--;
  const isJoint = COORDINATING.has(reading.word(at));
  if (!isJoint && !isComma(reading, at)) return 'wanted';
  const end = isJoint ? at : at + 1;
  if (reading.unwantedKind(end - 1) === kind) return 'unwanted';
  const previous = valueBefore(reading, kind, partyEnd(reading, end));
  return previous && most > 1 ? stanceInList(reading, previous, negatable, most - 1) : 'wanted';
}

function isComma(reading: Reading, index: number): boolean {
  return index >= 0 && /^\s*[,/&]\s*$/.test(reading.between(index));
}

function isListFiller(reading: Reading, index: number): boolean {
  const word = reading.word(index);
  return (
    index >= 0 &&
    reading.unwantedKind(index) === undefined &&
    (DETERMINER.has(word) ||
      ['of', 'in', 'by', 'from', 'for', 'those'].includes(word) ||
      isPartyNoun(reading, index))
  );
}

/** Index of the first word of "the team api". */
function partyStart(reading: Reading, from: number): number {
  let at = from;
  while (
    at > 0 &&
    reading.between(at - 1).trim() === '' &&
    (DETERMINER.has(reading.word(at - 1)) || isPartyNoun(reading, at - 1))
  )
    at--;
  return at;
}

/** Index after the value in "the web team, …". */
function partyEnd(reading: Reading, end: number): number {
  let at = end;
  while (at > 0 && isPartyNoun(reading, at - 1)) at--;
  return at === 0 ? end : at;
}

function stanceBefore(reading: Reading, { from, to }: Span, kind: string): Stance {
  for (let i = from - 1; i >= Math.max(0, from - REACH); i--) {
    const gap = reading.between(i);
    if (SENTENCE_END.test(gap) || beginsRelative(reading, i)) return 'wanted';
    if (isQuotedApart(reading, i, from)) return 'wanted';
    if (reading.word(i) === 'but') return stanceAfterBut(reading, i, { from, to });
    if (isNegation(reading, i)) {
      if (isDoubled(reading, i) || isInverted(reading, i, { from, to })) return 'unclear';
      return isLinked(reading, i, from, kind) ? 'unwanted' : 'unclear';
    }
    if (FORMER.has(reading.word(i)) || (reading.word(i) === 'used' && reading.word(i + 1) === 'to'))
      return 'unclear';
    if (BOUNDARY.test(gap)) return isNegatedAside(reading, i) ? 'unclear' : 'wanted';
  }
  return 'wanted';
}

/** Whether a clause of its own begins here: "that api does not own and that are active". */
function beginsRelative(reading: Reading, index: number): boolean {
  return reading.word(index) === 'and' && ['that', 'which', 'who', 'whose'].includes(reading.word(index + 1));
}

/** Whether a word is in a quoted title that ends before the value: its negation does not apply to the value. */
function isQuotedApart(reading: Reading, index: number, value: number): boolean {
  return (
    isNegation(reading, index) &&
    reading.question.quoted.some(({ from, to }) => index >= from && index < to && value >= to)
  );
}

/** Whether only words that say nothing of their own stand between a negation and a value. */
function isLinked(reading: Reading, negation: number, value: number, kind: string): boolean {
  const isPair = NEGATING_PAIRS.get(reading.word(negation))?.has(reading.word(negation + 1)) === true;
  for (let i = negation + (isPair ? 2 : 1); i < value; i++) {
    const isLinking = LINKING.has(reading.word(i)) || reading.namesAnyField(i);
    const isListed = reading.unwantedKind(i) === kind || COORDINATING.has(reading.word(i));
    if (!isLinking && !(isListed && reading.unwantedKind(i - 1) === kind) && reading.unwantedKind(i) !== kind)
      return false;
  }
  return true;
}

/** Whether the negation before an insertion goes on after it: "except, say, api", "not, as of today, owned by api". */
function isNegatedAside(reading: Reading, end: number): boolean {
  if (!/^\s*[,)]\s*$/.test(reading.between(end))) return false;
  for (let i = end - 1; i >= Math.max(0, end - ALL_REACH); i--) {
    const gap = reading.between(i);
    if (SENTENCE_END.test(gap)) return false;
    if (/^\s*[,(]\s*$/.test(gap)) return isNegation(reading, i);
  }
  return false;
}

/** Whether another negation before makes one mean something else: "nobody except api", "none other than". */
function isDoubled(reading: Reading, index: number): boolean {
  if (reading.word(index) === 'nor') return false;
  for (let i = index - 1; i >= Math.max(0, index - DOUBLE_REACH); i--) {
    if (
      BOUNDARY.test(reading.between(i)) ||
      reading.isInCondition(i) ||
      reading.unwantedKind(i) !== undefined
    )
      return false;
    if (isNegation(reading, i) || NOTHING.has(reading.word(i))) return true;
  }
  return false;
}

const INVERTING = /^(?:do|does|did|wo|could|would|should|has|have|had|ca)n?$/;

/** Whether "n't" stands before its subject, whose verb follows: "why doesn't api restart". */
function isInverted(reading: Reading, negation: number, { from, to }: Span): boolean {
  if (!isContracted(reading, negation) || !INVERTING.test(reading.word(negation - 1))) return false;
  const next = reading.word(to);
  if (next === '' || LINKING.has(next) || COORDINATING.has(next) || BOUNDARY.test(reading.between(to - 1)))
    return false;
  for (let i = negation + 1; i < from; i++)
    if (!DETERMINER.has(reading.word(i)) && !isPartyNoun(reading, i)) return false;
  return !isAboutOwnership(reading, to);
}

/** Whether "but" excludes the value, as in "every team but web". In "all of 2022 but before May" it joins two phrases. */
function stanceAfterBut(reading: Reading, but: number, { from, to }: Span): Stance {
  const next = reading.word(but + 1);
  if (next === 'also' || next === 'only') return 'wanted';
  for (let i = but - 1; i >= Math.max(0, but - ALL_REACH); i--) {
    const word = reading.word(i);
    // "nobody but api" and "not web but api" want the value.
    if (NOTHING.has(word) || isPlainNot(reading, i) || word === 'never') return 'wanted';
    if (isNegation(reading, i)) return 'unclear';
    if (!ALL.has(word)) continue;
    const isPhrase =
      PREPOSITIONS.has(next) && anyWord(reading, i + 1, but, (other) => PREPOSITIONS.has(other));
    if (isPhrase) return 'wanted';
    if (isDoubled(reading, but)) return 'unclear';
    const isExcluding = isLinkedParty(reading, but + 1, from) && !VERB_AFTER.test(reading.word(to));
    return isExcluding ? 'unwanted' : 'unclear';
  }
  return 'wanted';
}

/** After these words, what stands after "but" is a clause of its own: "all is well but api is down". */
const VERB_AFTER = /^(?:is|are|was|were|has|have|does|do)$/;

function anyWord(reading: Reading, from: number, to: number, test: (word: string) => boolean): boolean {
  for (let i = from; i < to; i++) if (test(reading.word(i))) return true;
  return false;
}

function isLinkedParty(reading: Reading, from: number, to: number): boolean {
  for (let i = from; i < to; i++)
    if (!LINKING.has(reading.word(i)) && !reading.namesAnyField(i)) return false;
  return true;
}
