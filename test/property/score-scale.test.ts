import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutOff, leastRelevance } from '../../src/domain/ranking/cut.ts';
import { FLOOR, relevanceOf, scoreOf } from '../../src/domain/ranking/score-scale.ts';

const relevance = fc.double({ min: 0, max: 1, noNaN: true });
const probability = (logOdds: number) => 1 / (1 + Math.exp(-logOdds));

describe('the scale of scores', () => {
  it('[D3] has .7 at the floor, and stays within 0 and 1', () => {
    expect(scoreOf(probability(FLOOR))).toBeCloseTo(0.7, 10);
    expect(scoreOf(0)).toBe(0);
    expect(scoreOf(1)).toBe(1);
    fc.assert(fc.property(relevance, (p) => scoreOf(p) >= 0 && scoreOf(p) <= 1));
  });

  it('[D3] increases with relevance', () => {
    fc.assert(
      fc.property(fc.double({ min: -30, max: 30, noNaN: true }), (logOdds) => {
        expect(scoreOf(probability(logOdds + 0.01))).toBeGreaterThan(scoreOf(probability(logOdds)));
      }),
    );
  });

  it('[D3] gives equal differences of log-odds equal differences of score', () => {
    const steps = [-12, -8, -4, 0].map((from) => scoreOf(probability(from + 2)) - scoreOf(probability(from)));
    for (const step of steps) expect(step).toBeCloseTo(0.06, 10);
  });

  it('[D3] can be inverted', () => {
    fc.assert(
      fc.property(fc.double({ min: -15, max: 15, noNaN: true }), (logOdds) => {
        const p = probability(logOdds);
        expect(relevanceOf(scoreOf(p)) / p).toBeCloseTo(1, 8);
      }),
    );
  });
});

const relevanceOfFound = { relevanceOf: (one: { readonly relevance: number }) => one.relevance };

describe('the cut of an answer', () => {
  const found = (...logOdds: number[]) => logOdds.map((one) => ({ relevance: probability(one) }));

  it('[A7] with a threshold keeps exactly the memories that reach it, including one at the threshold', () => {
    fc.assert(
      fc.property(fc.array(relevance, { minLength: 1 }), fc.nat(), (all, at) => {
        const best = all.sort((left, right) => right - left).map((one) => ({ relevance: one }));
        const threshold = scoreOf(best[at % best.length]!.relevance);
        const kept = cutOff(best, { threshold }, relevanceOfFound);
        expect(kept).toEqual(best.filter((one) => scoreOf(one.relevance) >= threshold));
        expect(kept.length).toBeGreaterThan(0);
        for (const one of kept) expect(one.relevance).toBeGreaterThanOrEqual(leastRelevance({ threshold }));
      }),
    );
  });

  it('[A5] without one shows nothing if the best score is too low', () => {
    expect(cutOff(found(-4.3, -4.4), 'focused', relevanceOfFound)).toEqual([]);
    expect(cutOff([], 'focused', relevanceOfFound)).toEqual([]);
  });

  it('[A5] without one shows only results near the best and not below the floor', () => {
    const best = found(1, 0, -1.1, -1.3, -4);
    expect(cutOff(best, 'focused', relevanceOfFound)).toEqual(best.slice(0, 3));
    const weak = found(-4, -4.9, -5.1);
    expect(cutOff(weak, 'focused', relevanceOfFound)).toEqual(weak.slice(0, 2));
    for (const one of cutOff(weak, 'focused', relevanceOfFound))
      expect(one.relevance).toBeGreaterThanOrEqual(leastRelevance('focused'));
  });
});
