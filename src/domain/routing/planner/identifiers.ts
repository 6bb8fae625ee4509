import { anyOf, test } from '../../build-filter.ts';
import { stanceOf } from './negation.ts';
import { written, type Question, type Span } from './question.ts';
import { best, type Reading } from './reading.ts';

/** `KEP-1029`, `issue #12`, `RFC 2119`: a word and the number that belongs to it. */
function identifiersIn({ text, tokens }: Question): Span[] {
  return tokens.flatMap((token, from): Span[] => {
    const number = tokens[from + 1];
    if (!number || !/^\p{L}{2,}$/u.test(token.word) || !/^\d+$/.test(number.word)) return [];
    const between = text.slice(token.end, number.start);
    const isCode = /^\p{Lu}{2,}$/u.test(text.slice(token.start, token.end));
    return between === '-' || between === ' #' || (between === ' ' && isCode) ? [{ from, to: from + 2 }] : [];
  });
}

const LONG_NUMBER = 3;

/**
 * Reads things that the question identifies by a number. If the words around name a field ("which require EIP-20"), the number
 * is a value of that field. Otherwise it means every memory that has the number as a value or mentions it in its text.
 */
export function readIdentifiers(reading: Reading): void {
  for (const span of identifiersIn(reading.question)) {
    if (!reading.isFree(span)) continue;
    const number = reading.word(span.from + 1);
    const whole = `${reading.word(span.from)} ${number}`;
    const values = [...reading.valuesWritten(number), ...reading.valuesWritten(whole)];
    // In "PEP 484", a field called `pep` only repeats the prefix; it does not say how the number is meant.
    const own = reading.question.tokens[span.from]!.stem;
    const naming = (field: string) => (reading.isCalled(field, own) ? 0 : reading.nameScore(field, span));
    const named = best(values, (known) => naming(known.field));
    const field = named[0]?.field ?? 'content';
    const isNamed = naming(field) > 0;
    const filters = (isNamed ? named : values).map((known) => test(known.field, 'eq', known.value));
    const label = written(reading.question, span);
    const stance = stanceOf(reading, span, { kind: field });
    // A text may write "#1029" for KEP-1029, so the number is enough; one or two digits alone occur in any text.
    const mention = number.length < LONG_NUMBER ? label : number;
    if (!isNamed) filters.push(test('content', 'contains', mention));
    if (isNamed && stance === 'wanted') reading.markFieldName(field, span);
    reading.markRead(span);
    if (stance === 'wanted')
      reading.conditions.push({ span, label, field, filter: anyOf(filters), isSure: true, isName: true });
  }
}
