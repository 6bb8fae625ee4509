import type { Filter } from '../filter.ts';
import { fieldValuesOf, type Fielded, type FieldValuePair } from './field-values.ts';
import { anyOf, test } from '../build-filter.ts';
import { isNaming, type Vocabulary } from './vocabulary.ts';
import { namesIn } from './vocabulary-request.ts';

/**
 * Places and metadata names that a text mentions by an identifier known to the tenant, except those of the memory that
 * contains the text. `vocabulary` holds the values requested with `namesIn(text)`.
 */
export function mentionsIn(text: string, own: Fielded, { fields, values }: Vocabulary): FieldValuePair[] {
  const names = new Set(namesIn(text));
  const known = new Map(fields.map((field) => [field.field, field]));
  const ownValues = new Set(fieldValuesOf(own).map(({ field, value }) => JSON.stringify([field, value])));
  return values
    .filter(({ field, value, key }) => {
      const of = known.get(field);
      const isName = field.startsWith('scope.') || (of !== undefined && isNaming(of));
      return isName && names.has(key) && !ownValues.has(JSON.stringify([field, value]));
    })
    .map(({ field, value }) => ({ field, value }));
}

/** Maximum number of values, because each is a parameter of the SQL statement. */
const maxMentions = 1_000;

/** Matches memories with one of these values, of which only the first thousand distinct ones count; undefined if there are none. */
export function mentionsFilter(named: readonly FieldValuePair[]): Filter | undefined {
  const distinct = new Map(named.map((pair) => [JSON.stringify([pair.field, pair.value]), pair]));
  const tests = [...distinct.values()].slice(0, maxMentions);
  return tests.length === 0 ? undefined : anyOf(tests.map(({ field, value }) => test(field, 'eq', value)));
}
