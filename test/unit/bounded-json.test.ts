import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBoundedJson } from '../../src/domain/input/bounded-json.ts';

const parse = (text: string) => parseBoundedJson(text, 'the body');
const refusal = (text: string): string => {
  try {
    parse(text);
  } catch (error) {
    return (error as Error).message;
  }
  return 'none';
};

describe('[I4] JSON of callers', () => {
  it('is parsed as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        expect(parse(JSON.stringify(value, null, 1))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('is refused before it is parsed if it is too deep or has too many parts', () => {
    expect(refusal('['.repeat(4_000_000) + ']'.repeat(4_000_000))).toMatch(
      /more than 50,000 lists and objects inside each other/,
    );
    const fields = Array.from({ length: 500_000 }, (_, n) => `"f${n}":1`).join(',');
    expect(refusal(`{${fields}}`)).toMatch(/more than 50,000 fields/);
    expect(refusal(`[${'1,'.repeat(400_000)}1]`)).toMatch(/more than 250,000 values/);
  });

  it('may have as many brackets, commas and quotes in its texts as it likes', () => {
    const text = `${'[{,:"\\'.repeat(100_000)}`;
    expect(parse(JSON.stringify({ content: text }))).toEqual({ content: text });
  });

  it('must be JSON', () => {
    expect(refusal(`{"a": ${' '.repeat(200)}`)).toBe('the body is not valid JSON');
  });
});
