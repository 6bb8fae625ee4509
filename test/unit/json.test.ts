import { describe, expect, it } from 'vitest';
import {
  canonicalJson,
  isJsonObject,
  jsonError,
  jsonObject,
  maxJsonDepth,
  mergePatch,
  textError,
  type JsonValue,
} from '../../src/domain/json.ts';

describe('mergePatch', () => {
  // RFC 7396, appendix A: original, patch, result. `undefined` means that the member was removed.
  const table: [JsonValue, JsonValue, JsonValue | undefined][] = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, undefined],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ];

  it.each(table)('patches %j with %j to %j', (original, patch, result) => {
    // `mergePatch` only accepts objects, so each case is wrapped in a member.
    expect(mergePatch({ v: original }, { v: patch })).toEqual(result === undefined ? {} : { v: result });
    if (isJsonObject(original) && isJsonObject(patch)) expect(mergePatch(original, patch)).toEqual(result);
  });

  it('does not modify its arguments', () => {
    const [target, patch] = [{ a: { b: 1 } }, { a: { c: 2 } }];
    mergePatch(target, patch);
    expect([target, patch]).toEqual([{ a: { b: 1 } }, { a: { c: 2 } }]);
  });

  it('does not modify prototypes', () => {
    const patch = JSON.parse(
      '{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}',
    ) as {
      [key: string]: JsonValue;
    };
    const merged = mergePatch({}, patch);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  });
});

describe('canonicalJson', () => {
  it.each([
    [{ b: 1, a: [2, { d: null, c: 'x' }] }, '{"a":[2,{"c":"x","d":null}],"b":1}'],
    [{ 10: 1, 9: 2, a: undefined }, '{"10":1,"9":2}'],
    ['é"\n', '"é\\"\\n"'],
    [[undefined, 1], '[null,1]'],
    [undefined, 'null'],
    [{}, '{}'],
    [[], '[]'],
    [-0, '0'],
  ])('writes %j in canonical form', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });
});

describe('JSON that can be stored', () => {
  const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });

  it('is limited in depth', () => {
    expect(jsonError(nested(maxJsonDepth))).toBeUndefined();
    expect(jsonError(nested(maxJsonDepth + 1))?.message).toMatch(/levels deep/);
    expect(jsonError(nested(100_000 / 20))?.message).toMatch(/levels deep/);
  });

  it.each([
    [{ a: ['x', { b: 'y\u0000' }] }, ['a', 1, 'b'], /U\+0000/],
    [{ a: '\ud800' }, ['a'], /lone surrogate/],
    [{ a: { 'k\u0000': 1 } }, ['a'], /a key contains U\+0000/],
    [JSON.parse('{"a": {"__proto__": 1}}'), ['a'], /__proto__/],
    [{ a: Number.NaN }, ['a'], /finite/],
    [{ a: 1n }, ['a'], /not a JSON value/],
    [{ a: undefined }, ['a'], /not a JSON value/],
  ])('reports the path of the error in %o', (value: unknown, path, message) => {
    expect(jsonError(value)).toEqual({ path, message: expect.stringMatching(message) as string });
    expect(jsonObject.safeParse(value).error?.issues[0]).toMatchObject({ path });
  });

  it('includes all other values', () => {
    expect(textError('\u0001 \ufffe 😀 \u2028')).toBeUndefined();
    expect(jsonObject.parse({ a: [null, { b: '😀' }] })).toEqual({ a: [null, { b: '😀' }] });
    expect(jsonObject.safeParse([1]).success).toBe(false);
  });
});
