import type { FilterScalar } from '../filter.ts';
import { words } from '../text/tokens.ts';
import type { ValueKind } from './planner/ordered-values.ts';

export type FieldValue = Exclude<FilterScalar, null>;

/** A field that some memories of the caller's tenant have, under the name that filters use. */
export interface KnownField {
  /** `metadata.<path>`, `scope.<identifier>` or `occurredAt`. */
  readonly field: string;
  /** The kind of nearly all of its values. */
  readonly kind: ValueKind;
  /** Number of memories that have it; a memory counts once per value. */
  readonly memories: number;
  /** Number of distinct values. */
  readonly values: number;
}

/** A value that a field has in at least one memory. Each element of a list is a value. */
export interface KnownValue {
  readonly field: string;
  readonly value: FieldValue;
  /** `keyOf(value)`: compared with the words of a question. */
  readonly key: string;
  readonly memories: number;
}

/**
 * What a planner knows about a tenant: fields and values in its data, as far as the caller may see them. For one question
 * it needs only the values that the question may mean (`vocabularyRequestOf`).
 */
export interface Vocabulary {
  readonly fields: readonly KnownField[];
  readonly values: readonly KnownValue[];
}

/** In UTF-16 units. Longer values are texts, not names: no question spells them out. */
export const MAX_VALUE_LENGTH = 200;

/** The folded words of a value or phrase: `SIG Node`, `sig-node` and `sig_node` have one key, and so have `v1.27` and `1.27`. */
export function keyOf(value: FieldValue): string {
  return words(String(value)).map(withoutV).join(' ');
}

/** Removes the `v` before a version; returns any other word unchanged. */
export function withoutV(word: string): string {
  return /^v\p{N}/u.test(word) ? word.slice(1) : word;
}

/**
 * Whether a field has few values that many memories share (a status, a team), unlike a field whose values each name one memory (a
 * title, a number).
 */
export function isLabel({ values, memories }: KnownField): boolean {
  return values <= FEW_VALUES || values * MEMORIES_PER_LABEL <= memories;
}

/**
 * Whether each value of a field names one memory or a few. In a tenant with so few memories that every field looks like a label,
 * a field without repeated values counts too.
 */
export function isNaming(known: KnownField): boolean {
  return !isLabel(known) || known.values === known.memories;
}

const FEW_VALUES = 50;
const MEMORIES_PER_LABEL = 20;
