import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addTrial,
  bucketsOf,
  chooseValue,
  globalBucket,
  isClearlyBetter,
  meanOf,
  noTally,
  successOf,
  type Tally,
} from '../../src/domain/learning/experience-bucket.ts';
import {
  addUses,
  importanceOf,
  memoryValue,
  relevanceWithValue,
} from '../../src/domain/learning/memory-value.ts';
import { features } from '../support/logged-decisions.ts';

const unit = fc.double({ min: 0, max: 1, noNaN: true });
const use = fc.record({ uses: fc.nat(1_000), expected: fc.double({ min: 0, max: 1_000, noNaN: true }) });
const tally: fc.Arbitrary<Tally> = fc
  .tuple(fc.nat(1_000), unit)
  .map(([trials, share]) => ({ trials, successes: trials * share }));

describe('value of a memory', () => {
  it('[C5] is 0 without use, rises with it, and falls when it is shown as relevant and not used', () => {
    expect(memoryValue({ uses: 0, expected: 0 })).toBe(0);
    expect(memoryValue({ uses: 3, expected: 0 })).toBeCloseTo(Math.log(2), 12);
    expect(memoryValue({ uses: 0, expected: 3 })).toBeCloseTo(-Math.log(2), 12);
    fc.assert(
      fc.property(use, (given) => {
        const value = memoryValue(given);
        expect(memoryValue({ ...given, uses: given.uses + 1 })).toBeGreaterThan(value);
        expect(memoryValue({ ...given, expected: given.expected + 1 })).toBeLessThan(value);
        expect(importanceOf(given)).toBeCloseTo(1 / (1 + Math.exp(-value)), 12);
      }),
    );
    expect(importanceOf({ uses: 0, expected: 0 })).toBe(0.5);
  });

  it('[C5] keeps relevance within 0 to 1 and its order, and moves it by half the value at most', () => {
    const value = fc.double({ min: -6, max: 6, noNaN: true });
    fc.assert(
      fc.property(unit, unit, value, unit, (a, b, worth, weight) => {
        const [less, more] = a < b ? [a, b] : [b, a];
        expect(relevanceWithValue(less, worth, weight)).toBeLessThanOrEqual(
          relevanceWithValue(more, worth, weight),
        );
        expect(relevanceWithValue(a, worth, 0)).toBeCloseTo(a, 12);
        expect(relevanceWithValue(a, worth, 9)).toBe(relevanceWithValue(a, worth, 0.5));
        expect(relevanceWithValue(a, worth, weight)).toBeGreaterThanOrEqual(0);
        expect(relevanceWithValue(a, worth, weight)).toBeLessThanOrEqual(1);
      }),
    );
    expect(relevanceWithValue(0.5, Math.log(4), 0.5)).toBeCloseTo(2 / 3, 12);
    expect([0, 1].map((certain) => relevanceWithValue(certain, 3, 0.5))).toEqual([0, 1]);
  });

  it('[C5] adds the uses of the scopes that a caller can see', () => {
    expect(
      addUses([
        { uses: 1, expected: 0.5 },
        { uses: 2, expected: 3 },
      ]),
    ).toEqual({ uses: 3, expected: 3.5 });
    expect(memoryValue(addUses([]))).toBe(0);
  });
});

describe('buckets of experience', () => {
  it('[C9] go from the finest to the one of all questions, and coarser ones never separate what finer ones join', () => {
    fc.assert(
      fc.property(features, features, (a, b) => {
        const [first, second] = [bucketsOf(a), bucketsOf(b)];
        expect(first.at(-1)).toBe(globalBucket);
        for (const [index, name] of first.entries()) {
          if (name !== second[index]) continue;
          expect(second.slice(index)).toEqual(first.slice(index));
        }
      }),
    );
    expect(bucketsOf({ layers: 1, structure: 0.3 })).toEqual(['levels-2001', 'signs-1000', 'any', 'all']);
  });

  it('[C9] fall back on coarser ones without trials, and speak for themselves with many', () => {
    const coarse: Tally = { successes: 80, trials: 100 };
    expect(meanOf(successOf([noTally, noTally, coarse]))).toBeCloseTo(81 / 102, 12);
    expect(meanOf(successOf([{ successes: 0, trials: 1_000 }, coarse]))).toBeLessThan(0.01);
    expect(meanOf(successOf([]))).toBe(0.5);
    fc.assert(
      fc.property(fc.array(tally, { maxLength: 4 }), (tallies) => {
        const mean = meanOf(successOf(tallies));
        expect(mean).toBeGreaterThan(0);
        expect(mean).toBeLessThan(1);
        const [finest, ...rest] = tallies;
        if (finest) expect(meanOf(successOf([addTrial(finest, 1), ...rest]))).toBeGreaterThan(mean);
      }),
    );
  });

  it('[C9] change a parameter only for what is clearly better', () => {
    const fallback = { value: 'default', tallies: [{ successes: 50, trials: 100 }] };
    const other = (successes: number, trials: number) => ({
      value: 'other',
      tallies: [{ successes, trials }],
    });
    expect(chooseValue(fallback, [other(90, 100)])).toBe('other');
    expect(chooseValue(fallback, [other(55, 100)])).toBe('default');
    expect(chooseValue(fallback, [other(4, 4)])).toBe('default');
    expect(chooseValue(fallback, [])).toBe('default');
    // A gain too small to be worth a change, however certain.
    const certain = { value: 'default', tallies: [{ successes: 500_000, trials: 1_000_000 }] };
    expect(chooseValue(certain, [other(510_000, 1_000_000)])).toBe('default');
    expect(chooseValue(certain, [other(530_000, 1_000_000)])).toBe('other');
    // What is enough for one alternative is not for the best of twenty.
    const lucky = other(63, 100);
    expect(chooseValue(fallback, [lucky])).toBe('other');
    expect(
      chooseValue(
        fallback,
        Array.from({ length: 20 }, () => lucky),
      ),
    ).toBe('default');
  });

  it('[C9] call only one of two choices clearly better', () => {
    fc.assert(
      fc.property(tally, tally, (a, b) => {
        const [first, second] = [successOf([a]), successOf([b])];
        expect(isClearlyBetter(first, second) && isClearlyBetter(second, first)).toBe(false);
      }),
    );
  });
});
