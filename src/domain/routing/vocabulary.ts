import type { FilterScalar } from '../filter.ts';
import { words } from '../text/tokens.ts';
import type { ValueKind } from './planner/ordered-values.ts';

export type FieldValue = Exclude<FilterScalar, null>;

/** A field that some memories of the caller's tenant have, by the name that filters know it under. */
export interface KnownField {
  /** `metadata.<path>`, `scope.<identifier>` or `occurredAt`. */
  readonly field: string;
  /** Of nearly all of its values. */
  readonly kind: ValueKind;
  /** Memories that have it, once for each of its values. */
  readonly memories: number;
  /** Distinct values. */
  readonly values: number;
}

/** A value that a field has in at least one memory; of a list each element. */
export interface KnownValue {
  readonly field: string;
  readonly value: FieldValue;
  /** `keyOf(value)`: how a question is compared with it. */
  readonly key: string;
  readonly memories: number;
}

/**
 * What a planner may know of a tenant: what its own data names, as far as the caller may see it. For one question the
 * values that it may mean are enough (`vocabularyRequestOf`).
 */
export interface Vocabulary {
  readonly fields: readonly KnownField[];
  readonly values: readonly KnownValue[];
}

/** Longer values, in UTF-16 units, are texts and no names: no question spells them out. */
export const MAX_VALUE_LENGTH = 200;

/** The words of a value or a phrase, folded: `SIG Node`, `sig-node` and `sig_node` are one, and `v1.27` is `1.27`. */
export function keyOf(value: FieldValue): string {
  return words(String(value)).map(withoutV).join(' ');
}

/** A version without the letter before it; any other word as it is. */
export function withoutV(word: string): string {
  return /^v\p{N}/u.test(word) ? word.slice(1) : word;
}

/** A field whose few values each stand in many memories (a status, a team), not a name of one (a title, a number). */
export function isLabel({ values, memories }: KnownField): boolean {
  return values <= FEW_VALUES || values * MEMORIES_PER_LABEL <= memories;
}

/** A field whose values each name one memory or few: also in a tenant with so few memories that all its fields look like labels. */
export function isNaming(known: KnownField): boolean {
  return !isLabel(known) || known.values === known.memories;
}

const FEW_VALUES = 50;
const MEMORIES_PER_LABEL = 20;
