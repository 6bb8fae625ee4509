import {
  ADVERB,
  AFTER_PREDICATE,
  BEFORE_OBJECT,
  DETERMINER,
  DISOWNING,
  ENDING,
  LINKING,
  NOT_EXCLUDING,
  OWNING,
} from './negation-words.ts';
import {
  BOUNDARY,
  isAuxiliary,
  isContracted,
  isPartyNoun,
  SENTENCE_END,
  valueBefore,
  valueFrom,
  type Stance,
} from './is-negation.ts';
import type { Span } from './question.ts';
import type { Reading } from './reading.ts';

/** The longest insertion between a subject and its verb: "team api, as of today, does not". */
const MAX_ASIDE = 8;
/** How far the predicate is read, in words. */
const REACH = 8;

/**
 * The stance of a value that is the subject of a verb after it: "that team api does not own", "which api no longer maintains".
 * It is unwanted if the verb is about ownership; what other negated verbs mean is unclear. A value that follows a preposition is not
 * a subject: "services of api that are not active".
 */
export function stanceAfter(reading: Reading, span: Span, field: string): Stance {
  const end = subjectEnd(reading, span.to, field);
  if (reading.word(end) === 'or' && reading.word(end + 1) === 'not') return 'unclear';
  if (isObject(reading, span.from, field)) return 'wanted';
  const verb = afterAside(reading, end);
  let at = verb;
  while (isAuxiliary(reading, at) || ADVERB.has(reading.word(at))) {
    if (BOUNDARY.test(reading.between(at))) return 'wanted';
    at++;
  }
  if (DISOWNING.has(reading.word(at))) return 'unclear';
  const predicate = predicateAfter(reading, at);
  if (predicate === undefined) return 'wanted';
  if (at === verb && isContrast(reading, predicate, field)) return 'wanted';
  return isAboutOwnership(reading, predicate) ? 'unwanted' : 'unclear';
}

/** Index after the words that belong to a subject: "the web team", "api, web and mobile". */
function subjectEnd(reading: Reading, to: number, field: string): number {
  let end = to;
  for (;;) {
    const isComma = /^\s*,\s*$/.test(reading.between(end - 1));
    if (!isComma && BOUNDARY.test(reading.between(end - 1))) return end;
    if (!isComma && isPartyNoun(reading, end) && !isAuxiliary(reading, end)) {
      end++;
      continue;
    }
    const isJoint = ['and', 'or'].includes(reading.word(end));
    if (!isComma && !isJoint) return end;
    let next = isJoint ? end + 1 : end;
    while (DETERMINER.has(reading.word(next)) || isPartyNoun(reading, next)) next++;
    const value = valueFrom(reading, field, next);
    if (!value) return end;
    end = value.to;
  }
}

/** Whether a value is the object of a preposition or a participle: "of the web team", "owned by api and web". */
function isObject(reading: Reading, from: number, field: string): boolean {
  let at = from - 1;
  while (at >= 0 && !BOUNDARY.test(reading.between(at))) {
    const word = reading.word(at);
    const previous = ['and', 'or'].includes(word) ? valueBefore(reading, field, at) : undefined;
    if (previous) at = previous.from - 1;
    else if (DETERMINER.has(word) || isPartyNoun(reading, at)) at--;
    else return BEFORE_OBJECT.has(word) || /(?:ed|ing)$/.test(word);
  }
  return false;
}

/** Index after an insertion between commas, if a verb follows it. */
function afterAside(reading: Reading, end: number): number {
  if (!/^\s*[,(]\s*$/.test(reading.between(end - 1))) return end;
  for (let i = end; i < end + MAX_ASIDE; i++) {
    const gap = reading.between(i);
    if (SENTENCE_END.test(gap)) return end;
    if (/^\s*[,)]\s*$/.test(gap)) return isAuxiliary(reading, i + 1) ? i + 1 : end;
  }
  return end;
}

/** Index of the first word that is negated, if the word at `at` negates what follows. */
function predicateAfter(reading: Reading, at: number): number | undefined {
  if (BOUNDARY.test(reading.between(at - 1)) && !/^\s*[,)]\s*$/.test(reading.between(at - 1)))
    return undefined;
  const [word, next] = [reading.word(at), reading.word(at + 1)];
  if (NOT_EXCLUDING.has(next)) return undefined;
  const negates =
    word === 'not' ||
    word === 'never' ||
    word === 'cannot' ||
    isContracted(reading, at) ||
    (ENDING.has(word) && /^to$|ing$/.test(next)) ||
    (word === 'no' && ['longer', 'more'].includes(next)) ||
    /^(?:doesnt|dont|didnt|isnt|arent|wasnt|werent|wont|cant|hasnt|havent|hadnt)$/.test(word);
  return negates ? at + 1 : undefined;
}

/** Whether a negation opposes another value of the field: "status active not retired". */
function isContrast(reading: Reading, predicate: number, field: string): boolean {
  return [0, 1, 2].some((words) => valueFrom(reading, field, predicate + words) !== undefined);
}

/** Whether a predicate is only about ownership: "is not the owner of", "does not own". */
export function isAboutOwnership(reading: Reading, from: number): boolean {
  let namesOwnership = false;
  for (let i = from; i < from + REACH && reading.word(i) !== ''; i++) {
    const { stem } = reading.question.tokens[i]!;
    const owns = OWNING.has(stem) || reading.namesAnyField(i);
    if (namesOwnership && AFTER_PREDICATE.has(reading.word(i))) break;
    if (!owns && !LINKING.has(reading.word(i)) && !ADVERB.has(reading.word(i))) return false;
    namesOwnership ||= owns;
    if (BOUNDARY.test(reading.between(i))) break;
  }
  return namesOwnership;
}
