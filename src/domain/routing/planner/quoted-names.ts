import { anyOf, test } from '../../build-filter.ts';
import { stanceOf } from './negation.ts';
import { phrase, written } from './question.ts';
import type { Reading } from './reading.ts';

/** Reads quoted values, such as a title or a name. The words stay in the query because the texts may contain them too. */
export function readQuotedNames(reading: Reading): void {
  for (const span of reading.question.quoted) {
    const values = reading.valuesWritten(phrase(reading.question, span));
    const [first] = values;
    if (first === undefined || !reading.isFree(span)) continue;
    reading.markRead(span);
    if (stanceOf(reading, span, { kind: first.field }) !== 'wanted') continue;
    reading.conditions.push({
      span,
      label: written(reading.question, span),
      field: first.field,
      filter: anyOf(values.map(({ field, value }) => test(field, 'eq', value))),
      isSure: true,
      isName: true,
    });
  }
}
