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
  it('is JSON of the same value', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(value);
      }),
    );
  });

  it('is one text whatever the order of the keys', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(reordered(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it('is written for everything that JSON can hold', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('a merge patch (RFC 7396)', () => {
  it('of nothing changes nothing', () => {
    fc.assert(
      fc.property(json, (target) => {
        expect(mergePatch(target, {})).toEqual(target);
      }),
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(json, patchOf(json), (target, patch) => {
        const once = mergePatch(target, patch);
        expect(mergePatch(once, patch)).toEqual(once);
      }),
    );
  });

  it('without null is found again in the result, and brings no null in', () => {
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

describe('what can be kept', () => {
  it('is told for every value, without an error', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.jsonValue({ stringUnit: 'binary' })), (value) => {
        const fault = jsonError(value);
        if (fault) expect(fault.message.length).toBeGreaterThan(0);
        else expect(JSON.parse(JSON.stringify(value))).toEqual(JSON.parse(canonicalJson(value)));
      }),
    );
  });
});
