import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aggregate, type Found } from '../../src/domain/routing/aggregate.ts';
import { withEvidence } from '../../src/domain/routing/evidence.ts';

const probability = fc.double({ min: 0, max: 1, noNaN: true });
const strategies = fc.constantFrom('combine' as const, 'compare' as const, 'summarize' as const);
const found = fc
  .array(
    fc.record({
      score: probability,
      side: fc.option(fc.nat({ max: 3 }), { nil: undefined }),
      place: fc.constantFrom('p1', 'p2', 'p3'),
    }),
    { maxLength: 40 },
  )
  .map((items) => items.map((item, index): Found => ({ ...item, id: `m${index}` })));

describe('aggregation', () => {
  it('[B6] keeps what passes the threshold, each once, best first, no score below it or beyond those given', () => {
    fc.assert(
      fc.property(strategies, found, probability, (strategy, items, threshold) => {
        const ranked = aggregate(strategy, items, threshold);
        const passing = items.filter(({ score }) => score >= threshold);
        expect(ranked.map(({ id }) => id).sort()).toEqual(passing.map(({ id }) => id).sort());
        const most = Math.max(...passing.map(({ score }) => score));
        for (const [index, { score }] of ranked.entries()) {
          expect(score).toBeGreaterThanOrEqual(threshold - 1e-12);
          expect(score).toBeLessThanOrEqual(most + 1e-12);
          if (index > 0) expect(score).toBeLessThanOrEqual(ranked[index - 1]!.score);
        }
      }),
    );
  });

  it('[B6] compare: of the first results of the sides, no side has two more than one that still has some', () => {
    const sided = found.map((items) => items.map((item) => ({ ...item, side: item.side ?? 0 })));
    fc.assert(
      fc.property(sided, (items) => {
        const sideOf = new Map(items.map(({ id, side }) => [id, side]));
        const sizes = new Map<number, number>();
        for (const { side } of items) sizes.set(side, (sizes.get(side) ?? 0) + 1);
        if (sizes.size < 2) return;
        const seen = new Map([...sizes.keys()].map((side) => [side, 0]));
        for (const { id } of aggregate('compare', items, 0)) {
          const side = sideOf.get(id)!;
          seen.set(side, seen.get(side)! + 1);
          for (const [other, count] of seen) {
            if (count < sizes.get(other)!) expect(seen.get(side)! - count).toBeLessThanOrEqual(1);
          }
        }
      }),
    );
  });

  it('[B6] summarize: of equals, what is of a place not heard yet comes first', () => {
    const items = ['a', 'a', 'b'].map((place, index) => ({ id: `${place}${index}`, score: 0.8, place }));
    const [first, second] = aggregate('summarize', items, 0.1).map(({ id }) => id[0]);
    expect(new Set([first, second])).toEqual(new Set(['a', 'b']));
  });
});

describe('evidence', () => {
  it('lifts what meets a condition and lowers what does not, and keeps the order within each', () => {
    fc.assert(
      fc.property(probability, probability, fc.constantFrom(-1, 0, 0.5, 1), (one, two, evidence) => {
        const after = withEvidence(one, evidence);
        expect(after >= 0 && after <= 1).toBe(true);
        if (evidence >= 0) expect(after).toBeGreaterThanOrEqual(one - 1e-12);
        else expect(after).toBeLessThanOrEqual(one + 1e-12);
        if (one < two) expect(after).toBeLessThanOrEqual(withEvidence(two, evidence) + 1e-12);
      }),
    );
  });
});
