import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aggregate, type SearchResult } from '../../src/domain/routing/aggregate.ts';
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
  .map((items) => items.map((item, index): SearchResult => ({ ...item, id: `m${index}` })));

describe('aggregation', () => {
  it('[B6] [D3] keeps each memory once, with its own score', () => {
    fc.assert(
      fc.property(strategies, found, (strategy, items) => {
        const chosen = aggregate(strategy, items);
        expect(new Set(chosen)).toEqual(new Set(items));
        expect(chosen).toHaveLength(items.length);
      }),
    );
  });

  it('[A7] applies a threshold without changing the order', () => {
    fc.assert(
      fc.property(found, probability, (items, threshold) => {
        const passes = ({ score }: SearchResult) => score >= threshold;
        expect(aggregate('combine', items.filter(passes))).toEqual(
          aggregate('combine', items).filter(passes),
        );
      }),
    );
  });

  it('[B6] compare: no side gets two results ahead of a side that still has some', () => {
    const sided = found.map((items) => items.map((item) => ({ ...item, side: item.side ?? 0 })));
    fc.assert(
      fc.property(sided, (items) => {
        const sideOf = new Map(items.map(({ id, side }) => [id, side]));
        const sizes = new Map<number, number>();
        for (const { side } of items) sizes.set(side, (sizes.get(side) ?? 0) + 1);
        if (sizes.size < 2) return;
        const seen = new Map([...sizes.keys()].map((side) => [side, 0]));
        for (const { id } of aggregate('compare', items)) {
          const side = sideOf.get(id)!;
          seen.set(side, seen.get(side)! + 1);
          for (const [other, count] of seen) {
            if (count < sizes.get(other)!) expect(seen.get(side)! - count).toBeLessThanOrEqual(1);
          }
        }
      }),
    );
  });

  it('[B6] summarize: among equals, prefers results of a new container', () => {
    const items = ['a', 'a', 'b'].map((place, index) => ({ id: `${place}${index}`, score: 0.8, place }));
    const [first, second] = aggregate('summarize', items).map(({ id }) => id[0]);
    expect(new Set([first, second])).toEqual(new Set(['a', 'b']));
  });
});

describe('evidence', () => {
  it('raises what meets a condition, lowers what does not, and keeps the order within each', () => {
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
