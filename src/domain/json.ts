import { z } from 'zod';

export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** Deeper values are rejected: they are not used in practice, and each level costs stack space. */
export const maxJsonDepth = 32;

/** Returns why `value` cannot be stored, with the path of the invalid part, or undefined if it can. */
export function jsonError(value: unknown): { path: (string | number)[]; message: string } | undefined {
  return errorBelow(value, []);
}

function errorBelow(
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
      const error = errorBelow(item, [...path, index]);
      if (error) return error;
    }
    return undefined;
  }
  if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (key === '__proto__') return { path, message: 'the key __proto__ is not allowed' };
      const message = textError(key);
      if (message !== undefined) return { path, message: `a key ${message}` };
      const error = errorBelow(item, [...path, key]);
      if (error) return error;
    }
    return undefined;
  }
  return value === null || typeof value === 'boolean' ? undefined : { path, message: 'not a JSON value' };
}

/** Returns why `text` cannot be stored in every back end, or undefined if it can. */
export function textError(text: string): string | undefined {
  if (text.includes('\u0000')) return 'contains U+0000';
  return text.isWellFormed() ? undefined : 'contains a lone surrogate';
}

/** Whether `text` is empty or consists of Unicode white space only. */
export function isBlank(text: string): boolean {
  return /^[\p{White_Space}\uFEFF]*$/u.test(text);
}

/** Schema of a string of at most `maxLength` UTF-16 units that every back end can store and compare. */
export function text(maxLength: number) {
  return z
    .string()
    .max(maxLength)
    .superRefine((value, context) => {
      const message = textError(value);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    });
}

/** Schema of a JSON object that every back end can store unchanged. Not a `z.record`, which silently drops the key __proto__. */
export const jsonObject = z
  .unknown()
  .superRefine((value, context) => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject) {
      context.addIssue({ code: 'invalid_type', expected: 'object' });
      return;
    }
    const error = jsonError(value);
    if (error) context.addIssue({ code: 'custom', path: error.path, message: error.message });
  })
  .transform((value) => value as JsonObject)
  .meta({ type: 'object', additionalProperties: true });

/** Serializes with sorted keys and without white space, so that equal values have equal strings. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    entries.sort(([left], [right]) => (left < right ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

/** JSON merge patch (RFC 7396): `null` deletes a key, objects are merged, all other values replace. Cannot pollute prototypes: `jsonError` rejects __proto__. */
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
