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

/** When it occurred, or was recorded where it does not tell; and when it was recorded where it tells another time. */
export function timeKeys({ occurredAt, createdAt }: Times): PostingKey[] {
  if (occurredAt === undefined) return [orderedKeyOf('when', [], +createdAt)];
  return [orderedKeyOf('when', [], Date.parse(occurredAt)), orderedKeyOf('recorded', [], +createdAt)];
}

/** Where whatever meets all of `filters` is filed by the times and the numbers in its metadata that they name: a list for each. */
export function rangesAsked(filters: readonly Filter[]): AnyOf[] {
  const tests = filters.filter((filter) => filter.kind === 'test');
  const occurred = endsOf(tests.filter(({ field }) => field === 'occurredAt').map(inMilliseconds));
  const recorded = endsOf(tests.filter(({ field }) => field === 'createdAt').map(inMilliseconds));
  const lists: KeyRange[][] = [];
  if (occurred) lists.push([rangeOf('when', [], occurred)]);
  if (recorded) {
    const untold = rangeOf('when', [], recorded);
    lists.push(filters.some(isUntold) ? [untold] : [untold, rangeOf('recorded', [], recorded)]);
  }
  return [...lists.map((ranges) => ({ keys: [], ranges })), ...numbersAsked(tests)];
}

function numbersAsked(tests: readonly Test[]): AnyOf[] {
  // A list that has a number equals it, and is filed in no order.
  const compared = tests.filter(
    ({ field, path, operator }) => field === 'metadata' && operator !== 'eq' && !mayLeadIntoList(path),
  );
  const paths = new Map(compared.map(({ path }) => [JSON.stringify(path), path]));
  return [...paths].flatMap(([name, path]) => {
    const ends = endsOf(compared.filter((test) => JSON.stringify(test.path) === name));
    return ends ? [{ keys: [muchMetadata], ranges: [rangeOf('metadata', path, ends)] }] : [];
  });
}

type Test = Extract<Filter, { kind: 'test' }>;

function inMilliseconds(test: Test): Pick<Test, 'operator' | 'value'> {
  const { operator, value } = test;
  return { operator, value: parseInstant(value)?.getTime() ?? null };
}

/** What lies between the ends that these tests name; undefined where they name none. */
function endsOf(tests: readonly Pick<Test, 'operator' | 'value'>[]): Ends | undefined {
  let [from, to] = [-Infinity, Infinity];
  for (const { operator, value } of tests) {
    if (typeof value !== 'number') continue;
    if (operator === 'gt' || operator === 'gte' || operator === 'eq') from = Math.max(from, value);
    if (operator === 'lt' || operator === 'lte' || operator === 'eq') to = Math.min(to, value);
  }
  return from === -Infinity && to === Infinity ? undefined : { from, to };
}

/** As `occurredOrCreated` says that a memory does not tell when it occurred. */
function isUntold(filter: Filter): boolean {
  if (filter.kind !== 'not' || filter.filter.kind !== 'test') return false;
  const { field, operator, value } = filter.filter;
  return field === 'occurredAt' && operator === 'gte' && value === earliest;
}
