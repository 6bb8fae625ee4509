import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, isJsonObject, jsonError, mergePatch, type JsonValue } from '../../src/domain/json.ts';
import { json, patchOf } from '../support/json-values.ts';

/** The same value with its keys in another order. */
function reordered(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(reordered);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, item]) => [key, reordered(item)]),
  );
}

function hasNull(value: JsonValue): boolean {
  return value === null || (isJsonObject(value) && Object.values(value).some(hasNull));
}

describe('canonical JSON', () => {
  it('parses to the same value', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(value);
      }),
    );
  });

  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(reordered(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it('exists for every JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('a merge patch (RFC 7396)', () => {
  it('that is empty changes nothing', () => {
    fc.assert(
      fc.property(json, (target) => {
        expect(mergePatch(target, {})).toEqual(target);
      }),
    );
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(json, patchOf(json), (target, patch) => {
        const once = mergePatch(target, patch);
        expect(mergePatch(once, patch)).toEqual(once);
      }),
    );
  });

  it('without null is contained in the result, which has no new nulls', () => {
    fc.assert(
      fc.property(json, patchOf(json), (target, patch) => {
        const result = mergePatch(target, patch);
        for (const [key, item] of Object.entries(patch)) {
          if (item === null) expect(Object.hasOwn(result, key)).toBe(false);
          else if (!isJsonObject(item)) expect(result[key]).toEqual(item);
          else expect(isJsonObject(result[key])).toBe(true);
        }
        for (const key of Object.keys(target))
          if (!Object.hasOwn(patch, key)) expect(result[key]).toEqual(target[key]);
        if (!hasNull(target)) expect(hasNull(result)).toBe(false);
      }),
    );
  });
});

describe('jsonError', () => {
  it('never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.jsonValue({ stringUnit: 'binary' })), (value) => {
        const fault = jsonError(value);
        if (fault) expect(fault.message.length).toBeGreaterThan(0);
        else expect(JSON.parse(JSON.stringify(value))).toEqual(JSON.parse(canonicalJson(value)));
      }),
    );
  });
});
