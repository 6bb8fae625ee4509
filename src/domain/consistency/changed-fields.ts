import { truncate } from '../text/truncate.ts';
import type { ComparableMemory } from './comparable-memory.ts';
import { orderByAge, isVersionField } from './order-by-age.ts';
import { fieldKind, isEqualPair, sharedFields } from './metadata-fields.ts';
import { mayDescribeSameEntity } from './same-entity.ts';
import type { FieldPair, Verdict } from './verdict.ts';

/** Maximum share of common values that may differ. Memories that differ in more are assumed to be about different things. */
const maxDifferingShare = 0.5;

const confidence = 0.9;

/**
 * Compares the metadata of two memories about the same entity: at least one naming field (`reservation_id`, `title`) is equal,
 * none differs, and some other values differ. If the data say which is newer, it supersedes the other. Otherwise single values
 * contradict each other; lists do not, because both can be parts of a whole.
 */
export function compareFields(left: ComparableMemory, right: ComparableMemory): Verdict | undefined {
  if (!mayDescribeSameEntity(left, right)) return undefined;
  const pairs = sharedFields(left, right);
  const same = pairs.filter((pair) => fieldKind(pair.field) === 'name');
  if (same.length === 0) return undefined;
  const values = pairs.filter(({ field }) => fieldKind(field) === 'value' && !isVersionField(field));
  const differs = values.filter((pair) => !isEqualPair(pair));
  if (differs.length === 0 || differs.length > values.length * maxDifferingShare) return undefined;
  const order = orderByAge(left, right);
  if (order) {
    const { older, newer, by } = order;
    const ordered = older === left ? differs : differs.map(swap);
    const detail = `${describeEqual(same[0]!)} in both; ${describeDifferences(ordered)}; ${describeDifference(by)} says which is newer`;
    const reason = { code: 'restated', detail, confidence, same, differs: [...ordered, by] } as const;
    return { kind: 'supersession', older: older.id, newer: newer.id, reason };
  }
  const single = differs.filter(({ values }) => values.every((value) => typeof value !== 'object'));
  if (single.length === 0) return undefined;
  const detail = `${describeEqual(same[0]!)} in both; ${describeDifferences(single)}; no field says which is newer`;
  const reason = { code: 'restated', detail, confidence, same, differs: single } as const;
  return { kind: 'contradiction', memories: [left.id, right.id], reason };
}

function swap({ field, values: [left, right] }: FieldPair): FieldPair {
  return { field, values: [right, left] };
}

function describeEqual({ field, values: [value] }: FieldPair): string {
  return `${field} is ${abridge(value)}`;
}

function describeDifferences(pairs: readonly FieldPair[]): string {
  return pairs.map((pair) => describeDifference(pair)).join(', ');
}

function describeDifference({ field, values: [left, right] }: FieldPair): string {
  return `${field} (${abridge(left)}, then ${abridge(right)})`;
}

/** Shortens long values; the reason's `same` and `differs` have them in full. */
function abridge(value: unknown): string {
  const text = JSON.stringify(typeof value === 'string' ? truncate(value, 81) : value);
  return text.length > 80 ? `${truncate(text, 80)}…` : text;
}
