import { isDeepStrictEqual } from 'node:util';
import { STOP_WORDS } from '../../text/stop-words.ts';
import { isCompared } from './comparators.ts';
import { anyOf, oneOf, test } from '../../build-filter.ts';
import { asMeant, stanceOf } from './negation.ts';
import { phrase, singulars, written, type Span } from './question.ts';
import { best, type Reading } from './reading.ts';
import { isLabel, type KnownValue } from '../vocabulary.ts';
import { HISTORY, RELATED } from './request-words.ts';

/** Length in words of the longest value that is recognized without quotation marks. */
export const MAX_PHRASE = 8;

/** Reads values of fields, the longest first: "SIG Node", "status final", "@jane", "meetings". */
export function readKnownValues(reading: Reading): void {
  const { tokens } = reading.question;
  for (let length = Math.min(MAX_PHRASE, tokens.length); length > 0; length--) {
    for (let from = 0; from + length <= tokens.length; from++) {
      const span = { from, to: from + length };
      if (reading.isFree(span)) readValue(reading, span);
    }
  }
}

function readValue(reading: Reading, span: Span): void {
  const { question } = reading;
  // "by jane" and "@jane" are persons. They count although a field of persons has too many values to be a label.
  const isHandle = question.tokens[span.from]!.isHandle || reading.word(span.from - 1) === 'by';
  const isWord = span.to - span.from === 1;
  const key = phrase(question, span);
  if (isWord && (STOP_WORDS.has(key) || key.length < 2)) return;
  const values = meantValues(reading, span, key, isHandle);
  if (values.length === 0) return;
  const named = best(values, ({ field }) => reading.nameScore(field, span));
  // If several fields have the value, a scope says more than metadata.
  const { field } = named.find(isScope) ?? best(named, ({ memories }) => memories)[0]!;
  const isNamed = reading.nameScore(field, span) > 0;
  const isSure = isHandle || isNamed || !isWord;
  if (!isSure && (describesName(reading, span) || isMomentAsked(reading))) return;
  // A field with one value does not distinguish memories.
  if ((reading.field(field)?.values ?? 0) < 2) return;
  const own = named.filter((known) => known.field === field).map(({ value }) => value);
  const stance = stanceOf(reading, span, { kind: field, mayBeSubject: true });
  // Mark it as read, so that its single words are not taken for values either.
  if (stance === 'unclear') return reading.markRead(span);
  const isUnwanted = stance === 'unwanted';
  const meaning = asMeant(stance, oneOf(field, own));
  reading.markCondition(span);
  if (isUnwanted) reading.markUnwanted(span, field);
  if (
    reading.conditions.some(
      (other) => other.field === field && isDeepStrictEqual(other.filter, meaning.filter),
    )
  )
    return;
  if (isNamed) reading.markFieldName(field, span);
  reading.conditions.push({
    span,
    label: written(question, span),
    field,
    ...meaning,
    ...(!isUnwanted &&
      isScope({ field }) &&
      named.length > own.length && {
        loose: anyOf(named.map((known) => test(known.field, 'eq', known.value))),
      }),
    isSure: isSure || isUnwanted || isScope({ field }),
  });
}

/** The values that the phrase means. A name counts only if the question says which field it is of, a label wherever it occurs. */
function meantValues(reading: Reading, span: Span, key: string, isHandle: boolean): KnownValue[] {
  const exact = reading.valuesWritten(key);
  const values =
    [exact, ...singulars(key).map((form) => reading.valuesWritten(form))].find((list) => list.length > 0) ??
    [];
  return values.filter(({ field }) => {
    const known = reading.field(field);
    const isNumber = /^\d+$/.test(key);
    if (isNumber && isCompared(reading, span)) return false;
    return (
      isHandle || reading.nameScore(field, span) > 0 || (!isNumber && known !== undefined && isLabel(known))
    );
  });
}

/**
 * Whether a word belongs to a name beside it: it says what the named thing is ("the "Gang Scheduling" proposal") or what is asked
 * about it ("replaced by").
 */
function describesName(reading: Reading, { from, to }: Span): boolean {
  const names = reading.conditions.filter(({ isName }) => isName).map(({ span }) => span);
  const word = reading.word(from);
  const relates = RELATED.test(word) || HISTORY.test(word);
  return names.some(
    (name) => relates || name.to === from || name.from === to || (from > name.to && isAside(reading, from)),
  );
}

/** Whether a word is in parentheses, where it describes the thing named before: "KEP-1029 (Quotas for Ephemeral Storage)". */
function isAside({ question: { text, tokens } }: Reading, index: number): boolean {
  const before = text.slice(0, tokens[index]!.start);
  return before.lastIndexOf('(') > before.lastIndexOf(')');
}

/** "When was it proposed?" asks for a moment, not for everything that is proposed. */
function isMomentAsked(reading: Reading): boolean {
  return ['when', 'why'].includes(reading.word(0));
}

function isScope({ field }: Pick<KnownValue, 'field'>): boolean {
  return field.startsWith('scope.');
}
