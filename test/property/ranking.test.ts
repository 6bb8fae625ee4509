import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idf, match, saturation, weigh, type TermStatistics } from '../../src/domain/ranking/bm25.ts';
import { evidence, fuse, SIGNALS, SIGNALS_OFF } from '../../src/domain/ranking/fusion.ts';
import { BGE_SMALL, UNKNOWN_MODEL } from '../../src/domain/ranking/scales.ts';
import { scorerOf, type CandidateSignals } from '../../src/domain/ranking/score.ts';
import { termCounts, words } from '../../src/domain/text/tokens.ts';
import { scoreCandidates } from '../support/score-candidates.ts';

const VOCABULARY = ['kafka', 'topic', 'offset', 'tea', 'alp', '1.27'];
const MODELS = ['bge-small-en-v1.5', 'some-other-model'];

const counts = fc
  .dictionary(fc.constantFrom(...VOCABULARY), fc.integer({ min: 1, max: 50 }))
  .map((d) => new Map(Object.entries(d)));
const statistics: fc.Arbitrary<TermStatistics> = fc
  .tuple(fc.nat(1_000_000), counts)
  .map(([more, held]) => ({ documents: Math.max(0, ...held.values()) + more, documentFrequency: held }));
const terms = fc.uniqueArray(fc.constantFrom(...VOCABULARY));
const cosine = fc.double({ min: -1, max: 1, noNaN: true });
const candidate: fc.Arbitrary<CandidateSignals> = fc.record(
  { cosine, termFrequencies: counts, length: fc.integer({ min: 1, max: 100_000 }) },
  { requiredKeys: ['termFrequencies', 'length'] },
);
const query = fc.record({ terms, statistics, model: fc.constantFrom(...MODELS) });

describe('BM25', () => {
  it('never gives a term a negative weight, even if statistics lag behind', () => {
    fc.assert(
      fc.property(fc.integer({ min: -5, max: 1e9 }), fc.integer({ min: -5, max: 1e9 }), (documents, held) => {
        const weight = idf('x', { documents, documentFrequency: new Map([['x', held]]) });
        expect(weight).toBeGreaterThanOrEqual(0);
        expect(Number.isFinite(weight)).toBe(true);
      }),
    );
  });

  it('weighs a rarer term more', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 1e6 }), fc.nat(), fc.nat(), (documents, a, b) => {
        const [rare, common] = [a % documents, b % documents].sort((x, y) => x - y) as [number, number];
        const held = new Map([
          ['rare', rare],
          ['common', common],
        ]);
        expect(idf('rare', { documents, documentFrequency: held })).toBeGreaterThanOrEqual(
          idf('common', { documents, documentFrequency: held }),
        );
      }),
    );
  });

  it('grows with the frequency and falls with the length, within 0..1', () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.integer({ min: 1, max: 200_000 }), (frequency, length) => {
        const share = saturation(frequency, length);
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThan(1);
        expect(saturation(frequency + 1, length)).toBeGreaterThan(share);
        expect(saturation(frequency, length + 1)).toBeLessThanOrEqual(share);
      }),
    );
  });

  it('counts a repeated query term once', () => {
    fc.assert(
      fc.property(terms, statistics, counts, (list, known, held) => {
        const memory = { termFrequencies: held, length: 50 };
        expect(match(weigh([...list, ...list], known), memory)).toEqual(match(weigh(list, known), memory));
      }),
    );
  });
});

describe('a score', () => {
  it('is a probability', () => {
    fc.assert(
      fc.property(query, fc.array(candidate), (request, candidates) => {
        for (const score of scoreCandidates(request, candidates)) {
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it('does not depend on the other candidates', () => {
    fc.assert(
      fc.property(query, fc.array(candidate), (request, candidates) => {
        const apart = candidates.map((one) => scoreCandidates(request, [one])[0]);
        expect(scoreCandidates(request, candidates)).toEqual(apart);
      }),
    );
  });

  it('orders candidates with both signals like the fused score', () => {
    const full = fc.record({ cosine, termFrequencies: counts, length: fc.integer({ min: 1, max: 500 }) });
    fc.assert(
      fc.property(query, full, full, (request, a, b) => {
        const scale = request.model === MODELS[0] ? BGE_SMALL : UNKNOWN_MODEL;
        const weighted = weigh(request.terms, request.statistics);
        const fused = [a, b].map((one) => fuse(evidence(weighted, one, one.cosine), scale.fusion)) as [
          number,
          number,
        ];
        const scores = scoreCandidates(request, [a, b]) as [number, number];
        if (Math.abs(fused[0] - fused[1]) > 1e-9)
          expect(Math.sign(scores[0] - scores[1])).toBe(Math.sign(fused[0] - fused[1]));
      }),
    );
  });

  it('grows with the cosine and with each occurrence of a query term that replaces another word', () => {
    fc.assert(
      fc.property(
        query,
        candidate,
        fc.double({ min: 0.001, max: 0.5, noNaN: true }),
        (request, one, step) => {
          fc.pre(one.cosine !== undefined && request.terms.length > 0);
          const term = request.terms[0] as string;
          const more = new Map(one.termFrequencies).set(term, (one.termFrequencies.get(term) ?? 0) + 1);
          const [base, closer, oftener] = scoreCandidates(request, [
            one,
            { ...one, cosine: (one.cosine ?? 0) + step },
            { ...one, termFrequencies: more },
          ]) as [number, number, number];
          expect(closer).toBeGreaterThan(base);
          expect(oftener).toBeGreaterThanOrEqual(base);
        },
      ),
    );
  });

  it('[A5] is at least 0.7 for the same words with any punctuation, and does not change for texts too short to be quoted', () => {
    const word = fc.constantFrom('The', 'the', 'a', 'b', 'tea', 'x', '🙂', '1.27');
    const signs = fc.constantFrom(' ', '! ', ' - ', '... ');
    const list = fc.array(word, { minLength: 1, maxLength: 4 });
    const separators = fc.array(signs, { minLength: 4, maxLength: 4 });
    const written = (of: readonly string[], by: readonly string[]) =>
      of.map((one, index) => one + by[index]).join('');
    const texts = fc
      .tuple(list, fc.option(list, { freq: 1 }), separators, separators)
      .map(([of, other, by, otherBy]) => [written(of, by), written(other ?? of, otherBy)] as const);
    fc.assert(
      fc.property(texts, statistics, cosine, ([queryText, memory], known, near) => {
        const { counts, length } = termCounts(memory);
        const scorer = scorerOf({
          text: queryText,
          terms: [...termCounts(queryText).counts.keys()],
          statistics: known,
          model: MODELS[0],
        });
        const found = { termFrequencies: counts, length, cosine: near };
        const score = scorer.score({ ...found, text: memory });
        if (words(queryText).join(' ') === words(memory).join(' ')) {
          expect(scorer.mayQuote(found)).toBe(true);
          expect(score).toBeGreaterThanOrEqual(Math.max(0.7, scorer.score(found)));
        } else expect(score).toBe(scorer.score(found));
      }),
    );
  });

  it('is 0 if nothing is known about the candidate', () => {
    const request = { terms: [], statistics: { documents: 1, documentFrequency: new Map<string, number>() } };
    expect(scoreCandidates(request, [{ termFrequencies: new Map(), length: 3 }])).toEqual([0]);
  });
});

describe('signals beyond the text', () => {
  const signals = fc.record(
    Object.fromEntries(SIGNALS.map((name) => [name, fc.double({ min: -1, max: 1, noNaN: true })])),
  );

  it('change nothing while they are switched off', () => {
    fc.assert(
      fc.property(query, candidate, signals, (request, one, values) => {
        expect(scoreCandidates(request, [{ ...one, signals: values }])).toEqual(
          scoreCandidates(request, [one]),
        );
      }),
    );
  });

  it.each(SIGNALS)('raise the score by %s once it has a weight, and only then', (name) => {
    const request = {
      terms: ['kafka'],
      statistics: { documents: 10, documentFrequency: new Map([['kafka', 2]]) },
      model: 'bge-small-en-v1.5',
      signalWeights: { ...SIGNALS_OFF, [name]: 0.1 },
    };
    const one = { cosine: 0.7, termFrequencies: new Map([['kafka', 1]]), length: 20 };
    const [low, none, high] = scoreCandidates(request, [
      { ...one, signals: { [name]: -1 } },
      one,
      { ...one, signals: { [name]: 1 } },
    ]) as [number, number, number];
    expect(low).toBeLessThan(none);
    expect(none).toBeLessThan(high);
  });
});
