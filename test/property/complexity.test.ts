import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  complexityOf,
  scoreOf,
  signalNames,
  signalWeights,
  type Signals,
} from '../../src/domain/routing/complexity.ts';

const share = fc.double({ min: 0, max: 1, noNaN: true });
const signals = fc.record({ layers: share, aggregation: share, comparison: share, structure: share });

describe('the complexity score', () => {
  it('[B1] and all its signals are between 0 and 1 for every question', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (question) => {
        const { score, signals } = complexityOf(question);
        for (const value of [score, ...Object.values(signals)]) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it('[B1] never falls when a signal rises, and rises by its weight at most', () => {
    fc.assert(
      fc.property(signals, fc.constantFrom(...signalNames), share, (before, name, value) => {
        const after: Signals = { ...before, [name]: Math.max(before[name], value) };
        const gain = scoreOf(after) - scoreOf(before);
        expect(gain).toBeGreaterThanOrEqual(0);
        expect(gain).toBeLessThanOrEqual(signalWeights[name] + 1e-5);
      }),
    );
  });

  it('[B1] rises with each kind of complex wording', () => {
    const plain = fc.stringMatching(/^[bcdfgjk]{3,9}( [bcdfgjk]{3,9}){0,6}$/);
    fc.assert(
      fc.property(plain, (words) => {
        const ask = (text: string) => complexityOf(text).score;
        expect(ask(`list ${words}`)).toBeGreaterThan(ask(`name ${words}`));
        expect(ask(`compare ${words}`)).toBeGreaterThan(ask(`name ${words}`));
        expect(ask(`name ${words} teams`)).toBeGreaterThan(ask(`name ${words} rows`));
      }),
    );
  });

  it('takes linear time: the longest query is scored within 50 ms', () => {
    for (const piece of ['which a ', 'compare ', '"', 'how did ', 'a-1 ', ', ', 'what what ', '(']) {
      const long = piece.repeat(20_000 / piece.length);
      const started = process.cpuUsage();
      complexityOf(long);
      const { user } = process.cpuUsage(started);
      expect(user / 1000, piece).toBeLessThan(50);
    }
  });
});
