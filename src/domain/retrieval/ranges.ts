import { earliest } from '../build-filter.ts';
import type { Filter } from '../filter.ts';
import { parseInstant } from '../instant.ts';
import {
  mayLeadIntoList,
  muchMetadata,
  orderedKeyOf,
  rangeOf,
  type AnyOf,
  type Ends,
  type KeyRange,
  type PostingKey,
} from './posting-keys.ts';

/** The times of a memory. */
export interface Times {
  readonly occurredAt?: string | undefined;
  readonly createdAt: Date;
}

/**
 * Keys of the time when a memory occurred, and of the time when it was recorded. If the former is unknown, the latter takes its place.
 */
export function timeKeys({ occurredAt, createdAt }: Times): PostingKey[] {
  if (occurredAt === undefined) return [orderedKeyOf('when', [], +createdAt)];
  return [orderedKeyOf('when', [], Date.parse(occurredAt)), orderedKeyOf('recorded', [], +createdAt)];
}

/** Lists of keys for memories that meet all `filters`: one for each time, and for each number in metadata, that these compare. */
export function rangesAsked(filters: readonly Filter[]): AnyOf[] {
  const tests = filters.filter((filter) => filter.kind === 'test');
  const occurred = endsOf(tests.filter(({ field }) => field === 'occurredAt').map(inMilliseconds));
  const recorded = endsOf(tests.filter(({ field }) => field === 'createdAt').map(inMilliseconds));
  const lists: KeyRange[][] = [];
  if (occurred) lists.push([rangeOf('when', [], occurred)]);
  if (recorded) {
    const undated = rangeOf('when', [], recorded);
    lists.push(filters.some(isUndated) ? [undated] : [undated, rangeOf('recorded', [], recorded)]);
  }
  return [...lists.map((ranges) => ({ keys: [], ranges })), ...numbersAsked(tests)];
}

function numbersAsked(tests: readonly Test[]): AnyOf[] {
  // A list equals each of its members, and these have no order-preserving keys.
  const compared = tests.filter(
    (test) => test.field === 'metadata' && test.operator !== 'eq' && !pathsOf(test).some(mayLeadIntoList),
  );
  const fields = new Map(compared.map((test) => [JSON.stringify(pathsOf(test)), pathsOf(test)]));
  return [...fields].flatMap(([name, paths]) => {
    const ends = endsOf(compared.filter((test) => JSON.stringify(pathsOf(test)) === name));
    return ends
      ? [{ keys: [muchMetadata], ranges: paths.map((path) => rangeOf('metadata', path, ends)) }]
      : [];
  });
}

function pathsOf({ path, otherPaths = [] }: Test): readonly (readonly string[])[] {
  return [path, ...otherPaths];
}

type Test = Extract<Filter, { kind: 'test' }>;

function inMilliseconds(test: Test): Pick<Test, 'operator' | 'value'> {
  const { operator, value } = test;
  return { operator, value: parseInstant(value)?.getTime() ?? null };
}

/** The range that these tests allow; undefined if they name no end. */
function endsOf(tests: readonly Pick<Test, 'operator' | 'value'>[]): Ends | undefined {
  let [from, to] = [-Infinity, Infinity];
  for (const { operator, value } of tests) {
    if (typeof value !== 'number') continue;
    if (operator === 'gt' || operator === 'gte' || operator === 'eq') from = Math.max(from, value);
    if (operator === 'lt' || operator === 'lte' || operator === 'eq') to = Math.min(to, value);
  }
  return from === -Infinity && to === Infinity ? undefined : { from, to };
}

/** Whether a filter requires that a memory has no `occurredAt`, in the form that `occurredOrCreated` uses. */
function isUndated(filter: Filter): boolean {
  if (filter.kind !== 'not' || filter.filter.kind !== 'test') return false;
  const { field, operator, value } = filter.filter;
  return field === 'occurredAt' && operator === 'gte' && value === earliest;
}
