import type { Filter } from '../../filter.ts';
import type { Condition } from './conditions.ts';
import type { Span } from './question.ts';
import type { Reading } from './reading.ts';
import { ALL, LINKING, NEGATING, NEGATING_PAIRS, PREPOSITIONS } from './request-words.ts';

/** Whether a value is meant, is meant not to be, or stands where a negation may or may not reach it. */
export type Stance = 'wanted' | 'unwanted' | 'unclear';

/** How far before a value a negation may stand, in words: "not written by anyone of the web team". */
const REACH = 6;
const BOUNDARY = /[,;:.?!()[\]\n]|\s[-–—]\s/;
/** "2024 excluded". */
const EXCLUDED = new Set(['excluded', 'excepted', 'aside']);
const COORDINATING = new Set(['and', 'or']);

/**
 * How the words around a value mean it. A negation governs what follows it up to the end of its clause; where other words than
 * links and names of fields stand between ("not resolved in 2024") it may be about those. `kind`: what a list of values must
 * share for the negation of the first to hold for all.
 */
export function stanceOf(reading: Reading, { from, to }: Span, kind: string): Stance {
  const isExcluded = EXCLUDED.has(reading.word(to)) && reading.word(to + 1) !== 'from';
  if (isExcluded || continuesUnwanted(reading, from, kind)) return 'unwanted';
  for (let i = from - 1; i >= Math.max(0, from - REACH); i--) {
    if (BOUNDARY.test(reading.between(i))) return 'wanted';
    if (reading.word(i) === 'but') return isAllBut(reading, i) ? 'unclear' : 'wanted';
    if (isNegation(reading, i, from)) return isLinked(reading, i, from) ? 'unwanted' : 'unclear';
  }
  return 'wanted';
}

/** Whether it makes a condition: what a negated bound ("not since 2020") leaves is not said. */
export function isUnderstood({ stance, ordering }: { stance: Stance; ordering?: unknown }): boolean {
  return ordering === undefined ? stance !== 'unclear' : stance === 'wanted';
}

/** What a condition lets through where `filter` is what its words name. */
export function asMeant(stance: Stance, filter: Filter): Pick<Condition, 'filter' | 'isUnwanted'> {
  return stance === 'unwanted' ? { filter: { kind: 'not', filter }, isUnwanted: true } : { filter };
}

/** Whether a word is "not", "no" or "n't". */
export function isPlainNot(reading: Reading, index: number): boolean {
  return ['not', 'no'].includes(reading.word(index)) || isContracted(reading, index);
}

/** "not in 2023, 2024 or 2025". */
function continuesUnwanted(reading: Reading, from: number, kind: string): boolean {
  const joint = COORDINATING.has(reading.word(from - 1)) ? from - 2 : from - 1;
  const isJoined = joint === from - 2 || /^\s*[,/]\s*$/.test(reading.between(joint));
  return isJoined && reading.unwantedKind(joint) === kind;
}

function isNegation(reading: Reading, index: number, before: number): boolean {
  const [word, next] = [reading.word(index), reading.word(index + 1)];
  if (reading.isSaid(index) || isQuotedApart(reading, index, before)) return false;
  if (word === 'not' && ['only', 'just', 'merely'].includes(next)) return false;
  return NEGATING.has(word) || NEGATING_PAIRS.get(word)?.has(next) === true || isContracted(reading, index);
}

/** The "t" of "aren't" is a word of its own. */
function isContracted(reading: Reading, index: number): boolean {
  return reading.word(index) === 't' && /^['’]$/.test(reading.between(index - 1));
}

/** What a title says is not said of what follows it. */
function isQuotedApart(reading: Reading, index: number, value: number): boolean {
  return reading.question.quoted.some(({ from, to }) => index >= from && index < to && value >= to);
}

function isLinked(reading: Reading, negation: number, value: number): boolean {
  for (let i = negation + 1; i < value; i++) {
    if (!LINKING.has(reading.word(i)) && !reading.namesAnyField(i)) return false;
  }
  return true;
}

/** "every team but web"; in "all of 2022 but before May" the word begins a phrase like the one before it. */
function isAllBut(reading: Reading, but: number): boolean {
  const before = Array.from({ length: REACH }, (_, n) => reading.word(but - 1 - n));
  const all = before.findIndex((word) => ALL.has(word));
  const next = reading.word(but + 1);
  const isPhrase = next === 'also' || PREPOSITIONS.has(next);
  return all >= 0 && !(isPhrase && before.slice(0, all).some((word) => PREPOSITIONS.has(word)));
}
