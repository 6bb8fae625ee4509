import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jaccard, NEAR_DUPLICATE, nearDuplicate, shingles } from '../../src/domain/text/shingles.ts';
import { fold } from '../../src/domain/text/fold.ts';
import { queryTerms, termCounts, words } from '../../src/domain/text/tokens.ts';

const anyText = fc.string({ unit: 'grapheme', maxLength: 200 });
const prose = fc
  .array(fc.constantFrom('alpha', 'Beta', 'gamma', 'running', 'v1.27', 'snake_case', 'the', '会議'), {
    minLength: 1,
    maxLength: 30,
  })
  .map((list) => list.join(' '));

/** Characters with several forms, of every script that is analysed in its own way. */
const manyForms = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...'aAßłıİΣςÉ19٤१９½²,.\'’"- \u00ad\u200b\u200c\u0640\u0301الإأةىیکوبשלהםצ״한국은휴가会會議ーｱﾞกข',
      ),
      fc.constantFrom('GitHub', '12,450.00', '12.450,5', '0x1F', 'v1.2', "it's", 'HTTPServer', '__', '🎉'),
      fc.string({ unit: 'binary', maxLength: 2 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

describe('words', () => {
  it('are the same for a text, its folded form and its separated words', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, manyForms), (text) => {
        const found = words(text);
        expect(words(found.join(' '))).toEqual(found);
        expect(fold(fold(text))).toBe(fold(text));
        expect(words(fold(text))).toEqual(found);
      }),
    );
  });
});

describe('terms', () => {
  it('of a query are those of its separated words, and its memory has them all', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, manyForms), (text) => {
        const separated = words(text).join(' ');
        const expected = queryTerms(text);
        expect(queryTerms(separated)).toEqual(expected);
        expect(termCounts(separated).length).toBe(termCounts(text).length);
        expect([...termCounts(text).counts.keys()].slice(0, expected.length)).toEqual(expected);
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

  it('sum up to the length, without the parts of compounds', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, manyForms), (text) => {
        const { counts, length } = termCounts(text);
        const sum = [...counts.values()].reduce((total, count) => total + count, 0);
        expect(sum).toBeGreaterThanOrEqual(length);
        if (counts.size === queryTerms(text).length && !/\p{Lu}|\p{Script=Hangul}|,/u.test(text))
          expect(sum).toBe(length);
      }),
    );
  });

  it('survive the JSON in which they are stored', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), manyForms), (text) => {
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
