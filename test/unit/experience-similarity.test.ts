import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byExperience, byNearness, type OrderedTrace } from '../../src/domain/experience/order.ts';
import {
  leastValue,
  mediansOf,
  similarity,
  similarityByWords,
  wordMedians,
} from '../../src/domain/experience/similarity.ts';
import { allOutcomes } from '../../src/domain/experience/trace.ts';

/** As measured on the pairs of questions. */
const bge = { unrelated: 0.431, same: 0.884 };
const multilingual = { unrelated: 0.774, same: 0.947 };

describe('the similarity of questions', () => {
  it('[C8] means the same with models that spread their cosines differently', () => {
    for (const share of [0, 0.25, 0.5, 0.8, 1]) {
      const [left, right] = [bge, multilingual].map((scale) =>
        similarity(scale.unrelated + share * (scale.same - scale.unrelated), scale),
      );
      expect(left).toBeCloseTo(right!, 6);
    }
    expect(similarity(0.8, bge)).toBeCloseTo(0.8, 1);
    expect(similarity(0.8, multilingual)).toBeLessThan(0.55);
  });

  it('[C8] is 1 for equal texts, stays within 0 and 1, and grows with the cosine', () => {
    const cosine = fc.double({ min: -1, max: 1, noNaN: true });
    fc.assert(
      fc.property(cosine, cosine, fc.constantFrom(bge, multilingual, wordMedians), (left, right, scale) => {
        const [one, other] = [similarity(left, scale), similarity(right, scale)];
        expect(one).toBeGreaterThanOrEqual(0);
        expect(one).toBeLessThanOrEqual(1);
        if (left < right) expect(one).toBeLessThanOrEqual(other);
      }),
    );
    expect(similarity(1, bge)).toBe(1);
  });

  it('[C8] has a least cosine for each similarity, below which nothing is as similar', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const cosine = fc.double({ min: -1, max: 1, noNaN: true });
    fc.assert(
      fc.property(cosine, share, fc.constantFrom(bge, multilingual), (value, least, scale) => {
        const limit = leastValue(least, scale);
        if (value >= limit + 1e-9) expect(similarity(value, scale)).toBeGreaterThanOrEqual(least - 1e-6);
        if (value <= limit - 1e-9) expect(similarity(value, scale)).toBeLessThanOrEqual(least);
      }),
    );
    expect(leastValue(0, bge)).toBe(-Infinity);
    expect(leastValue(0.88, bge)).toBeCloseTo(bge.same, 9);
    expect(leastValue(1, bge)).toBeCloseTo(1, 9);
  });

  it('[C8] has no scale for a measure that cannot tell questions apart', () => {
    expect(mediansOf(() => 0.7)).toBeUndefined();
    expect(mediansOf((left, right) => (left >> 1 === right >> 1 ? 0.9 : 0.2))).toEqual({
      unrelated: 0.2,
      same: 0.9,
    });
  });

  it('[C8] by words ignores order and small words, and separates other questions', () => {
    const of = (left: string, right: string) => similarityByWords(left)(right);
    expect(of('When are the releases cut?', 'cut releases when')).toBe(1);
    expect(of('Who owns billing?', 'When are releases cut?')).toBeLessThan(0.5);
    expect(of('🚀', '🚀')).toBe(1);
    expect(of('🚀', '???')).toBeLessThan(0.5);
  });
});

const trace = fc.record<OrderedTrace>({
  similarity: fc.double({ min: 0, max: 1, noNaN: true }),
  outcome: fc.constantFrom(...allOutcomes),
  position: fc.nat(),
});

describe('the order of traces', () => {
  it('[C8] is by bands of .05, then successes first and searches without an outcome last, then the newest', () => {
    const traces: Record<string, OrderedTrace> = {
      oldSuccess: { similarity: 0.86, outcome: 'success', position: 1 },
      newSuccess: { similarity: 0.85, outcome: 'success', position: 5 },
      partial: { similarity: 0.87, outcome: 'partial_success', position: 9 },
      failure: { similarity: 0.899, outcome: 'failure', position: 10 },
      pending: { similarity: 0.899, outcome: 'pending', position: 30 },
      far: { similarity: 0.84, outcome: 'success', position: 20 },
    };
    const sorted = Object.entries(traces).sort(([, left], [, right]) => byExperience(left, right));
    const names = sorted.map(([name]) => name);
    expect(names).toEqual(['newSuccess', 'oldSuccess', 'partial', 'failure', 'pending', 'far']);
    const nearest = Object.entries(traces).sort(([, left], [, right]) => byNearness(left, right));
    const byTime = nearest.map(([name]) => name);
    expect(byTime).toEqual(['pending', 'failure', 'partial', 'newSuccess', 'oldSuccess', 'far']);
  });

  it('[C8] puts a similarity on the edge of a band into the upper one', () => {
    for (let band = 1; band <= 20; band++) {
      const edge = { similarity: band * 0.05, outcome: 'failure' as const, position: 1 };
      const below = { similarity: band * 0.05 - 1e-6, outcome: 'success' as const, position: 2 };
      expect(byExperience(edge, below)).toBeLessThan(0);
    }
  });

  it('[C8] is a total order', () => {
    fc.assert(
      fc.property(trace, trace, trace, (one, two, three) => {
        expect(Math.sign(byExperience(one, two))).toBe(-Math.sign(byExperience(two, one)) + 0);
        if (byExperience(one, two) <= 0 && byExperience(two, three) <= 0)
          expect(byExperience(one, three)).toBeLessThanOrEqual(0);
      }),
    );
  });
});
