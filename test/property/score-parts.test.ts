import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutOff, leastScoreShown, reasonOfCut } from '../../src/domain/ranking/cut.ts';
import { scorerOf, type RankedQuery } from '../../src/domain/ranking/score.ts';
import { scorerOfModels } from '../../src/domain/ranking/score-models.ts';
import { logOdds, scoreOf } from '../../src/domain/ranking/score-scale.ts';

const question = 'What did I say about the harbour in May 2023?';
const terms = ['say', 'harbour'];
const query: RankedQuery = {
  text: question,
  terms,
  statistics: { documents: 100, documentFrequency: new Map(terms.map((term) => [term, 7])) },
  model: 'bge-small-en-v1.5-int8-6c9c6101',
};

const unit = fc.double({ min: -1, max: 1, noNaN: true });
const counts = fc
  .record({ say: fc.nat(3), harbour: fc.nat(3), length: fc.integer({ min: 6, max: 60 }) })
  .map(({ length, ...found }) => ({
    length,
    termFrequencies: new Map(Object.entries(found).filter(([, n]) => n > 0)),
  }));
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

const candidates = fc
  .record({
    own: counts,
    cosine: optional(unit),
    window: optional(counts),
    passages: optional(fc.record({ count: fc.integer({ min: 1, max: 30 }), terms: counts, cosine: unit })),
    speaker: optional(fc.constantFrom('user', 'assistant', 'Caroline')),
    occurredAt: optional(fc.constantFrom('2023-05-04T10:00:00.000Z', '2021-01-01T00:00:00.000Z')),
    text: optional(fc.constantFrom(question, 'The harbour is open.', `${question} Nothing at all.`)),
    feedback: optional(fc.double({ min: -3, max: 3, noNaN: true })),
    value: optional(unit),
    decay: optional(fc.double({ min: -2, max: 0, noNaN: true })),
    cosines: optional(
      fc.array(fc.record({ model: fc.constantFrom('other'), cosine: unit }), { minLength: 1, maxLength: 2 }),
    ),
  })
  .map(({ own, ...rest }) => {
    const given = Object.entries(rest).filter(([, value]) => value !== undefined);
    return { ...own, ...Object.fromEntries(given) };
  });

describe('the parts of a score', () => {
  it.each([
    ['one model', scorerOf(query)],
    ['the models of spaces', scorerOfModels(query, new Map([['other', undefined]]))],
  ])('[A4] [J5] add up to the log-odds of the relevance, with %s', (_, scorer) => {
    fc.assert(
      fc.property(candidates, (candidate) => {
        const { relevance, parts } = scorer.explain(candidate);
        expect(relevance).toBe(scorer.score(candidate));
        const sum = parts.reduce((total, part) => total + part.logOdds, 0);
        expect(sum).toBeCloseTo(logOdds(relevance), 6);
      }),
    );
  });
});

describe('the reason of a cut', () => {
  const relevances = fc.array(fc.double({ min: 1e-4, max: 0.99, noNaN: true }), {
    minLength: 1,
    maxLength: 12,
  });

  it('[D4] [J5] is given for exactly those that the cut leaves out, and they score less than any result', () => {
    const cuts = fc.oneof(
      fc.constant('focused' as const),
      fc.double({ min: 0, max: 1, noNaN: true }).map((threshold) => ({ threshold })),
    );
    fc.assert(
      fc.property(relevances, cuts, fc.boolean(), (found, cut, keepsDistant) => {
        const best = Math.max(...found);
        const kept = cutOff(found, cut, { relevanceOf: (relevance) => relevance, keepsDistant });
        const unexplained = found.filter(
          (relevance) => reasonOfCut(relevance, best, cut, keepsDistant) === undefined,
        );
        expect(unexplained).toEqual(kept);
        const least = leastScoreShown(best, cut, keepsDistant);
        for (const relevance of found)
          if (Math.abs(scoreOf(relevance) - least) > 1e-9)
            expect(kept.includes(relevance)).toBe(scoreOf(relevance) > least);
      }),
    );
  });
});
