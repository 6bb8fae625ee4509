import type { Filter } from '../../filter.ts';
import type { Condition } from './conditions.ts';
import type { Span } from './question.ts';
import type { Reading } from './reading.ts';
import { ALL, LINKING, NEGATING, NEGATING_PAIRS, PREPOSITIONS } from './request-words.ts';

/** Whether a value is wanted, is excluded, or stands where a negation may or may not apply to it. */
export type Stance = 'wanted' | 'unwanted' | 'unclear';

/** How many words before a value a negation may stand: "not written by anyone of the web team". */
const REACH = 6;
const BOUNDARY = /[,;:.?!()[\]\n]|\s[-–—]\s/;
/** "2024 excluded". */
const EXCLUDED = new Set(['excluded', 'excepted', 'aside']);
const COORDINATING = new Set(['and', 'or']);

/**
 * Whether the words around a value negate it. A negation applies up to the end of its clause. If words other than linking words
 * and names of fields stand between ("not resolved in 2024"), the negation may be about those. `kind`: a negation of the first
 * value of a list applies to the others of the same kind.
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

/** Whether a value makes a condition. A negated bound ("not since 2020") does not say what is wanted instead, so it makes none. */
export function isUnderstood({ stance, ordering }: { stance: Stance; ordering?: unknown }): boolean {
  return ordering === undefined ? stance !== 'unclear' : stance === 'wanted';
}

/** The filter of a condition whose words mean `filter`: negated if they are unwanted. */
export function asMeant(stance: Stance, filter: Filter): Pick<Condition, 'filter' | 'isUnwanted'> {
  return stance === 'unwanted' ? { filter: { kind: 'not', filter }, isUnwanted: true } : { filter };
}

/** Whether a word is "not", "no" or "n't". */
export function isPlainNot(reading: Reading, index: number): boolean {
  return ['not', 'no'].includes(reading.word(index)) || isContracted(reading, index);
}

/** Whether a value continues a negated list: "not in 2023, 2024 or 2025". */
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

/** Whether a word is the "t" of "aren't", which is a word of its own here. */
function isContracted(reading: Reading, index: number): boolean {
  return reading.word(index) === 't' && /^['’]$/.test(reading.between(index - 1));
}

/** Whether a word is in a quoted title that ends before the value: its negation does not apply to the value. */
function isQuotedApart(reading: Reading, index: number, value: number): boolean {
  return reading.question.quoted.some(({ from, to }) => index >= from && index < to && value >= to);
}

function isLinked(reading: Reading, negation: number, value: number): boolean {
  for (let i = negation + 1; i < value; i++) {
    if (!LINKING.has(reading.word(i)) && !reading.namesAnyField(i)) return false;
  }
  return true;
}

/** Whether "but" means "except", as in "every team but web". In "all of 2022 but before May" it joins two phrases. */
function isAllBut(reading: Reading, but: number): boolean {
  const before = Array.from({ length: REACH }, (_, n) => reading.word(but - 1 - n));
  const all = before.findIndex((word) => ALL.has(word));
  const next = reading.word(but + 1);
  const isPhrase = next === 'also' || PREPOSITIONS.has(next);
  return all >= 0 && !(isPhrase && before.slice(0, all).some((word) => PREPOSITIONS.has(word)));
}
