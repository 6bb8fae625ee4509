import type { JsonObject, JsonValue } from '../json.ts';
import { scopeKeys, type Scope } from '../layers.ts';
import { metadataField } from '../metadata-path.ts';
import { keyOf, MAX_VALUE_LENGTH, type FieldValue } from './vocabulary.ts';

/** A field of a memory and its value. Each element of a list is a value. */
export interface FieldValuePair {
  readonly field: string;
  readonly value: FieldValue;
}

/** The parts of a memory that its fields are read from. */
export interface Fielded {
  readonly scope: Scope;
  readonly metadata: JsonObject;
  /** ISO 8601. */
  readonly occurredAt?: string | undefined;
}

/** Values kept per memory: metadata with more values are data, not names. */
const MAX_VALUES = 100;
const MAX_PATH_LENGTH = 200;

/**
 * The values that a memory adds to the vocabulary of its tenant: those that a question may spell out, under the field names that
 * filters use, without duplicates and in the order of its metadata. `occurredAt` is reduced to its month.
 */
export function fieldValuesOf({ scope, metadata, occurredAt }: Fielded): FieldValuePair[] {
  const pairs = new Map<string, FieldValuePair>();
  const add = (field: string, value: FieldValue) => {
    if (pairs.size >= MAX_VALUES || String(value).length > MAX_VALUE_LENGTH || keyOf(value) === '') return;
    pairs.set(`${field} ${JSON.stringify(value)}`, { field, value });
  };
  for (const key of scopeKeys) if (scope[key] !== undefined) add(`scope.${key}`, scope[key]);
  if (occurredAt !== undefined) add('occurredAt', occurredAt.slice(0, 'YYYY-MM'.length));
  addAll([], metadata, add);
  return [...pairs.values()];
}

function addAll(
  keys: readonly string[],
  value: JsonValue,
  add: (field: string, value: FieldValue) => void,
): void {
  if (value === null) return;
  const field = metadataField(keys);
  if (field.length > MAX_PATH_LENGTH) return;
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) if (typeof item !== 'object') addAll(keys, item, add);
  } else if (typeof value === 'object') {
    for (const [key, item] of Object.entries(value as JsonObject)) addAll([...keys, key], item, add);
  } else add(field, value);
}
