import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jaccard, NEAR_DUPLICATE, nearDuplicate, shingles } from '../../src/domain/text/shingles.ts';
import { termCounts, words } from '../../src/domain/text/tokens.ts';

const anyText = fc.string({ unit: 'grapheme', maxLength: 200 });
const prose = fc
  .array(fc.constantFrom('alpha', 'Beta', 'gamma', 'running', 'v1.27', 'snake_case', 'the', '会議'), {
    minLength: 1,
    maxLength: 30,
  })
  .map((list) => list.join(' '));

describe('terms', () => {
  it('are the same for a text and its separated words', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(termCounts(words(text).join(' '))).toEqual(termCounts(text));
      }),
    );
  });

  it('do not depend on case, order of sentences or punctuation around words', () => {
    fc.assert(
      fc.property(prose, prose, (a, b) => {
        const sorted = (text: string) =>
          [...termCounts(text).counts].map(([term, n]) => `${term} ${n}`).sort();
        expect(sorted(`${a}. ${b}`)).toEqual(sorted(`(${b.toUpperCase()})\n«${a.toLowerCase()}»`));
      }),
    );
  });

  it('sum up to the length', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { counts, length } = termCounts(text);
        expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(length);
      }),
    );
  });

  it('survive the JSON in which they are stored', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const entries = [...termCounts(text).counts];
        const stored = Object.entries<number>(JSON.parse(JSON.stringify(Object.fromEntries(entries))));
        expect(new Map(stored)).toEqual(new Map(entries));
        expect(entries.some(([term]) => term.includes('\u0000'))).toBe(false);
      }),
    );
  });
});

describe('near duplicates', () => {
  it('are exactly the pairs with a Jaccard similarity of at least 0.95', () => {
    const long = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 3, maxLength: 120 });
    const edits = fc.array(fc.nat(400), { maxLength: 3 });
    fc.assert(
      fc.property(long, edits, (numbers, at) => {
        const edited = [...numbers];
        for (const i of at) if (i < edited.length) edited[i] = 999;
        const [a, b] = [shingles(numbers.join(' ')), shingles(edited.join(' '))];
        expect(nearDuplicate(a, b)).toBe(jaccard(a, b) >= NEAR_DUPLICATE);
        expect(nearDuplicate(a, b)).toBe(nearDuplicate(b, a));
      }),
    );
  });

  it('include every text paired with itself', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(nearDuplicate(shingles(text), shingles(text))).toBe(true);
      }),
    );
  });
});
