import { describe, expect, it } from 'vitest';
import { compareAnswers, ndcgOf, overlapOf } from '../../src/domain/retrieval/model-comparison.ts';

const ids = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `m${from + n}`);

describe('the overlap of two answers', () => {
  it.each([
    ['the same in another order', ids(0, 10), ids(0, 10).reverse(), 1],
    ['nothing in common', ids(0, 10), ids(10, 10), 0],
    ['half in common', ids(0, 10), ids(5, 10), 0.5],
    ['a match after the tenth place', [...ids(0, 10), 'late'], [...ids(10, 10), 'late'], 0],
    ['a short one and a long one', ids(0, 2), ids(0, 8), 0.25],
    ['two empty ones', [], [], 1],
    ['an empty one and another', [], ids(0, 3), 0],
  ])('%s', (_, fresh, live, expected) => {
    expect(overlapOf({ fresh, live })).toBe(expected);
    expect(overlapOf({ fresh: live, live: fresh })).toBe(expected);
  });
});

describe('nDCG of an answer', () => {
  it('is 1 if all relevant results come first, and lower the later they come', () => {
    const relevant = new Set(['m0', 'm1']);
    expect(ndcgOf(ids(0, 10), relevant)).toBe(1);
    expect(ndcgOf(['x', 'm0', 'm1'], relevant)).toBeCloseTo(
      (1 / Math.log2(3) + 1 / 2) / (1 + 1 / Math.log2(3)),
      12,
    );
    expect(ndcgOf([...ids(10, 10), 'm0'], relevant)).toBe(0);
  });

  it('is undefined if nothing is relevant', () => {
    expect(ndcgOf(ids(0, 10), new Set())).toBeUndefined();
  });
});

describe('the comparison of two models', () => {
  const models = { model: 'new', liveModel: 'old' };

  it('has the means over all queries, and over the judged ones', () => {
    const answers = [
      { fresh: ['a', 'b'], live: ['a', 'b'], judgements: new Map([['a', true]]) },
      {
        fresh: ['a', 'b'],
        live: ['b', 'a'],
        judgements: new Map([
          ['b', true],
          ['a', false],
        ]),
      },
      { fresh: ['a', 'b'], live: ['c', 'd'], judgements: new Map([['d', false]]) },
      { fresh: ['a', 'b'], live: ['c', 'd'] },
    ];
    expect(compareAnswers(models, answers)).toEqual({
      ...models,
      queries: 4,
      overlap: 0.5,
      judged: { queries: 2, ndcg: (1 + 1 / Math.log2(3)) / 2, liveNdcg: 1 },
    });
  });

  it('has no figures without queries', () => {
    expect(compareAnswers(models, [])).toEqual({ ...models, queries: 0 });
  });
});
