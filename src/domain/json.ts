import { z } from 'zod';

export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** Deeper values are refused: nobody means them, and each level costs stack. */
export const maxJsonDepth = 32;

/** Why `value` cannot be kept, with the path to the offending part; undefined if it can. */
export function jsonError(value: unknown): { path: (string | number)[]; message: string } | undefined {
  return faultBelow(value, []);
}

function faultBelow(
  value: unknown,
  path: (string | number)[],
): { path: (string | number)[]; message: string } | undefined {
  if (path.length > maxJsonDepth)
    return { path: path.slice(0, 3), message: `nested more than ${maxJsonDepth} levels deep` };
  if (typeof value === 'string') {
    const message = textError(value);
    return message === undefined ? undefined : { path, message };
  }
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : { path, message: 'not a finite number' };
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const fault = faultBelow(item, [...path, index]);
      if (fault) return fault;
    }
    return undefined;
  }
  if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (key === '__proto__') return { path, message: 'the key __proto__ is not allowed' };
      const message = textError(key);
      if (message !== undefined) return { path, message: `a key ${message}` };
      const fault = faultBelow(item, [...path, key]);
      if (fault) return fault;
    }
    return undefined;
  }
  return value === null || typeof value === 'boolean' ? undefined : { path, message: 'not a JSON value' };
}

/** Why a text cannot be stored in every back end, or undefined. */
export function textError(text: string): string | undefined {
  if (text.includes('\u0000')) return 'contains U+0000';
  return text.isWellFormed() ? undefined : 'contains a lone surrogate';
}

/** Whether there is nothing to see in it: no characters, or white space of Unicode alone. */
export function isBlank(text: string): boolean {
  return /^[\p{White_Space}\uFEFF]*$/u.test(text);
}

/** A text of at most `longest` UTF-16 units that every back end can keep and compare. */
export function text(longest: number) {
  return z
    .string()
    .max(longest)
    .superRefine((value, context) => {
      const message = textError(value);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    });
}

/** A JSON object that every back end can store as it is. Not a `z.record`: that drops the key __proto__ unseen. */
export const jsonObject = z
  .unknown()
  .superRefine((value, context) => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    const fault = isObject ? jsonError(value) : { path: [], message: 'must be an object' };
    if (fault) context.addIssue({ code: 'custom', path: fault.path, message: fault.message });
  })
  .transform((value) => value as JsonObject)
  .meta({ type: 'object', additionalProperties: true });

/** JSON with object keys sorted and no white space: equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    entries.sort(([left], [right]) => (left < right ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

/** RFC 7396: `null` deletes a key, objects merge, everything else replaces. Never touches prototypes: see `jsonError`. */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else if (isJsonObject(value)) {
      const present = merged.get(key);
      merged.set(key, mergePatch(present !== undefined && isJsonObject(present) ? present : {}, value));
    } else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
