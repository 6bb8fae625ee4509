import type { FieldValue } from '../vocabulary.ts';

/** How values compare: versions number by number, dates as ISO 8601 texts. */
export type ValueKind = 'text' | 'number' | 'version' | 'date';

const DATE = /^\d{4}-\d\d(?:-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?)?$/;
const VERSION = /^v?\d+(?:\.\d+){1,3}$/i;
const NUMBER = /^\d+$/;

export function kindOf(value: FieldValue): ValueKind {
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'text';
  if (DATE.test(value)) return 'date';
  if (VERSION.test(value)) return 'version';
  return NUMBER.test(value) ? 'number' : 'text';
}

/** Negative, 0 or positive if version `a` is earlier than, equal to or later than `b`. 1.9 is before 1.10 and equals 1.9.0. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Whether it is a real version: `0.0` means that there is none. */
export function isRelease(version: string): boolean {
  return /[1-9]/.test(version);
}

function parts(version: string): number[] {
  return (version.match(/\d+/g) ?? []).map(Number);
}

/** A field is of a kind if at least this share of its values is. */
const KIND_SHARE = 0.8;

/** The kind of a field, from the number of memories with a value of each kind; `text` if no kind has the required share. */
export function kindOfField(memories: ReadonlyMap<ValueKind, number>): ValueKind {
  const total = [...memories.values()].reduce((sum, count) => sum + count, 0);
  const most = [...memories].find(([, count]) => count >= KIND_SHARE * total);
  return most?.[0] ?? 'text';
}
