import { compareVersions, kindOf } from '../routing/planner/ordered-values.ts';
import type { Statement } from './statement.ts';
import { isSame, fieldKind, sharedFields } from './subject.ts';
import type { FieldPair } from './verdict.ts';

const VERSION = /(?:^|[._-])(?:version|revision|rev)$/i;

/** Whether a metadata field counts versions, by its name. */
export function isVersionField(field: string): boolean {
  return VERSION.test(field);
}

/**
 * Two statements with the earlier one first, and the field that says so: a version, else `occurredAt`, else a time in the
 * metadata. Undefined where nothing tells; when a memory was stored does not.
 */
export function orderByAge(
  left: Statement,
  right: Statement,
): { readonly older: Statement; readonly newer: Statement; readonly by: FieldPair } | undefined {
  const pairs = sharedFields(left, right).filter((pair) => !isSame(pair));
  const version = pairs.find(({ field, values }) => isVersionField(field) && values.every(isComparable));
  const time = occurrences(left, right) ?? pairs.find(isTimePair);
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
  return typeof value === 'number' || (typeof value === 'string' && kindOf(value) !== 'text');
}

function isTimePair({ field, values }: FieldPair): boolean {
  return fieldKind(field) === 'time' && values.every(isTime);
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

function occurrences(left: Statement, right: Statement): FieldPair | undefined {
  const [own, other] = [left.occurredAt, right.occurredAt];
  if (own === undefined || other === undefined || own === other) return undefined;
  return { field: 'occurredAt', values: [own, other] };
}
