import { describe, expect, it } from 'vitest';
import { columnOf } from '../../src/support/columns.ts';

const digits = 'a2f1e8f26a0e4c399f5e1f3f6f0b0c11';

describe('a column', () => {
  it('accepts a uuid with and without hyphens, in upper and lower case', () => {
    const [plain, ...others] = [digits, digits.toUpperCase(), 'a2f1e8f2-6a0e-4c39-9f5e-1f3f6f0b0c11'];
    for (const other of others) expect(columnOf('uuid', [other])).toEqual(columnOf('uuid', [plain]));
  });

  it.each(['', digits.slice(1), `${digits}0`, `${digits}00`, `g${digits.slice(1)}`, `é${digits.slice(1)}`])(
    'refuses %j as a uuid',
    (id) => {
      expect(() => columnOf('uuid', [digits, id])).toThrow(new TypeError(`not a uuid: ${id}`));
    },
  );

  it.each([
    0,
    1,
    -1,
    2 ** 31,
    -(2 ** 31) - 1,
    2 ** 32,
    -(2 ** 32),
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
  ])('writes the number %d as its digits and as a bigint', (number) => {
    const [written, ...others] = [number, String(number), BigInt(number)].map((element) =>
      Buffer.from(columnOf('bigint', [element])).readBigInt64BE(24),
    );
    expect(written).toBe(BigInt(number));
    for (const other of others) expect(other).toBe(written);
  });

  it.each([
    '1970-01-01T00:00:00.001Z',
    '1999-12-31T23:59:59.999Z',
    '2026-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
  ])('writes %s in microseconds since the beginning of 2000', (time) => {
    const written = Buffer.from(columnOf('timestamptz', [time])).readBigInt64BE(24);
    expect(written).toBe(BigInt(Date.parse(time) - Date.UTC(2000, 0, 1)) * 1_000n);
  });

  it('refuses values that are not times, or outside the range of their type', () => {
    expect(() => columnOf('timestamptz', ['today'])).toThrow(new RangeError('not a time: today'));
    expect(() => columnOf('integer', [1, 2 ** 31])).toThrow(RangeError);
    expect(() => columnOf('bigint', [2n ** 63n])).toThrow(RangeError);
    expect(() => columnOf('bigint', ['1.5'])).toThrow(SyntaxError);
    for (const element of [NaN, 1.5, Infinity])
      expect(() => columnOf('integer', [element])).toThrow(RangeError);
    for (const type of ['integer', 'double precision', 'boolean'] as const)
      expect(() => columnOf(type, ['x'])).toThrow(TypeError);
  });
});
