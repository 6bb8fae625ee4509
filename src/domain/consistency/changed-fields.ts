import { truncate } from '../text/truncate.ts';
import type { Statement } from './statement.ts';
import { orderByAge, isVersionField } from './order-by-age.ts';
import { isSame, fieldKind, mayDescribeSameEntity, sharedFields } from './subject.ts';
import type { FieldPair, Verdict } from './verdict.ts';

/** Of the values that both have so large a share may differ: what differs more is about something else. */
const mostDiffering = 0.5;

const confidence = 0.9;

/**
 * The same subject with other values: a name of the metadata (`reservation_id`, `title`) is the same, no other name
 * differs, and some of the other values do. Where the data tell which came later that one supersedes the other, else
 * single values contradict each other; lists that differ may both be parts of a whole.
 */
export function compareFields(left: Statement, right: Statement): Verdict | undefined {
  if (!mayDescribeSameEntity(left, right)) return undefined;
  const pairs = sharedFields(left, right);
  const same = pairs.filter((pair) => fieldKind(pair.field) === 'name');
  if (same.length === 0) return undefined;
  const values = pairs.filter(({ field }) => fieldKind(field) === 'value' && !isVersionField(field));
  const differs = values.filter((pair) => !isSame(pair));
  if (differs.length === 0 || differs.length > values.length * mostDiffering) return undefined;
  const order = orderByAge(left, right);
  if (order) {
    const { older, newer, by } = order;
    const turned = older === left ? differs : differs.map(turn);
    const detail = `${quote(same[0]!)} in both; ${list(turned)}; ${said(by)} says which came later`;
    const reason = { code: 'restated', detail, confidence, same, differs: [...turned, by] } as const;
    return { kind: 'supersession', older: older.id, newer: newer.id, reason };
  }
  const single = differs.filter(({ values }) => values.every((value) => typeof value !== 'object'));
  if (single.length === 0) return undefined;
  const detail = `${quote(same[0]!)} in both; ${list(single)}; nothing says which came later`;
  const reason = { code: 'restated', detail, confidence, same, differs: single } as const;
  return { kind: 'contradiction', memories: [left.id, right.id], reason };
}

function turn({ field, values: [left, right] }: FieldPair): FieldPair {
  return { field, values: [right, left] };
}

function quote({ field, values: [value] }: FieldPair): string {
  return `${field} is ${shown(value)}`;
}

function list(pairs: readonly FieldPair[]): string {
  return pairs.map((pair) => said(pair)).join(', ');
}

function said({ field, values: [left, right] }: FieldPair): string {
  return `${field} (${shown(left)}, then ${shown(right)})`;
}

/** Long values stand whole in the fields beside it. */
function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${truncate(text, 80)}…` : text;
}
