import { compareVersions, kindOf } from '../routing/planner/ordered-values.ts';
import { lastToldAt } from '../memory/affirmation.ts';
import type { ComparableMemory } from './comparable-memory.ts';
import { isEqualPair, fieldKind, sharedFields } from './metadata-fields.ts';
import type { FieldPair } from './verdict.ts';

const VERSION = /(?:^|[._-])(?:version|revision|rev)$/i;

/** In UTF-16 units. Longer values are texts: to parse them for each pair of memories would take long. */
const maxLength = 200;

/** Whether the name of a metadata field says that it holds a version. */
export function isVersionField(field: string): boolean {
  return VERSION.test(field);
}

/**
 * Orders two memories by age and returns the deciding field: a version, else `occurredAt`, else a time in the metadata.
 * Undefined if none of them decides. The time of storing is not used, since old facts can be stored late.
 */
export function orderByAge(
  left: ComparableMemory,
  right: ComparableMemory,
):
  { readonly older: ComparableMemory; readonly newer: ComparableMemory; readonly by: FieldPair } | undefined {
  const pairs = sharedFields(left, right).filter((pair) => !isEqualPair(pair));
  const version = pairs.find(({ field, values }) => isVersionField(field) && values.every(isComparable));
  const time = occurredAtPair(left, right) ?? pairs.find(isTimePair);
  const by = version ?? time;
  if (!by) return undefined;
  const [own, other] = by.values.map(String) as [string, string];
  const order = by === version ? compareVersions(own, other) : Date.parse(own) - Date.parse(other);
  if (order === 0) return undefined;
  return order < 0
    ? { older: left, newer: right, by }
    : { older: right, newer: left, by: { ...by, values: [by.values[1], by.values[0]] } };
}

function isComparable(value: unknown): boolean {
  return typeof value === 'number' || (isShort(value) && kindOf(value) !== 'text');
}

function isTimePair({ field, values }: FieldPair): boolean {
  return fieldKind(field) === 'time' && values.every(isTime);
}

function isTime(value: unknown): boolean {
  return isShort(value) && !Number.isNaN(Date.parse(value));
}

function isShort(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxLength;
}

function occurredAtPair(left: ComparableMemory, right: ComparableMemory): FieldPair | undefined {
  const [own, other] = [left, right].map(
    ({ occurredAt, affirmedAt }) =>
      occurredAt && lastToldAt({ occurredAt, createdAt: occurredAt, affirmedAt }),
  );
  if (own === undefined || other === undefined || own === other) return undefined;
  return { field: 'occurredAt', values: [own, other] };
}
