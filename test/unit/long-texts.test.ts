import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { piecesOf } from '../../src/domain/text/pieces.ts';
import { passageSteps, passagesOf } from '../../src/domain/text/passages.ts';
import { shingles } from '../../src/domain/text/shingles.ts';
import { termCountSteps, words, wordSequence } from '../../src/domain/text/tokens.ts';

const parts = [
  'Release ',
  'naïve ',
  '1,234 ',
  "team's ",
  '\n',
  '关于港口。',
  'グーグル、',
  'שָׁלוֹם ',
  'مرحبا\u200cبك ',
  '½ ',
  'e\u0301 ',
  '3。5',
  'x',
];
const longText = fc
  .array(fc.constantFrom(...parts), { minLength: 5, maxLength: 40 })
  .map((some) => some.join('').repeat(Math.ceil(40_000 / some.join('').length)));

describe('[I4] a long text is read in pieces', () => {
  it('of the same words as the whole', () => {
    fc.assert(
      fc.property(longText, (text) => {
        const pieces = [...piecesOf(text)];
        expect(pieces.join('')).toBe(text);
        expect(pieces.flatMap((piece) => wordSequence(piece))).toEqual(wordSequence(text));
        expect(pieces.flatMap((piece) => words(piece))).toEqual(words(text));
      }),
      { numRuns: 8 },
    );
  });

  it('of at most some thousand characters, wherever it has white space', () => {
    const pieces = [...piecesOf('release gateway '.repeat(60_000))];
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(9_000);
    expect([...piecesOf('x'.repeat(100_000))]).toHaveLength(1);
  });

  it('in many steps', () => {
    const text = 'The release of the gateway waits for the canary.\n\n'.repeat(10_000);
    expect([...passageSteps(text)].length).toBeGreaterThan(100);
    expect([...termCountSteps(text)].length).toBeGreaterThan(50);
    expect([...passageSteps(`a${'\n'.repeat(100_000)}b`)].length).toBeLessThan(2_000);
    expect(passagesOf(text).length).toBeGreaterThan(500);
  });

  it('across whose borders a sequence of words is found', () => {
    const all = Array.from({ length: 5_000 }, (_, n) => `word${n}`);
    expect(shingles(all.join(' ')).size).toBe(4_998);
  });
});
