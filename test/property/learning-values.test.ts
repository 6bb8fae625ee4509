import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bucketsOf,
  chooseValue,
  isClearlyBetter,
  meanOf,
  noTally,
  successOf,
  type Tally,
} from '../../src/domain/experience/buckets.ts';
import {
  addUses,
  importanceOf,
  memoryValue,
  valueWeightLimit,
} from '../../src/domain/learning/memory-value.ts';
import { withFeedback } from '../../src/domain/ranking/feedback.ts';
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
      fc.property(unit, unit, value, (a, b, worth) => {
        const [less, more] = a < b ? [a, b] : [b, a];
        const ranked = (relevance: number) => withFeedback(relevance, valueWeightLimit * worth);
        expect(ranked(less)).toBeLessThanOrEqual(ranked(more) + 1e-12);
        expect(withFeedback(a, 0)).toBe(a);
        expect(ranked(a)).toBeGreaterThanOrEqual(0);
        expect(ranked(a)).toBeLessThanOrEqual(1);
      }),
    );
    expect(withFeedback(0.5, valueWeightLimit * Math.log(4))).toBeCloseTo(2 / 3, 12);
    expect([0, 1].map((certain) => withFeedback(certain, valueWeightLimit * 3))).toEqual([0, 1]);
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
        expect(first.at(-1)).toBe('all');
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
        if (!finest) return;
        const better = { successes: finest.successes + 1, trials: finest.trials + 1 };
        expect(meanOf(successOf([better, ...rest]))).toBeGreaterThan(mean);
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
