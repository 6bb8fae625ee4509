import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ContextCandidate } from '../../src/domain/context/candidate.ts';
import { evidenceIn } from '../../src/domain/context/evidence.ts';

const limits = { quoted: 5, extended: 3 };

/** A candidate with these log-odds. */
const at = (id: string, odds: number, more: Partial<ContextCandidate> = {}): ContextCandidate => ({
  id,
  content: id,
  layer: 'user',
  time: '2026-01-01T00:00:00Z',
  relevance: 1 / (1 + Math.exp(-odds)),
  ...more,
});
const idsOf = (candidates: readonly ContextCandidate[]) => evidenceIn(candidates, limits).map(({ id }) => id);

describe('[E8] the evidence for a question', () => {
  it('ends with the distance from the best memory, the earlier the more memories are before it', () => {
    expect(idsOf([at('a', 0), at('b', -4), at('c', -4.2)])).toEqual(['a', 'b']);
    const many = Array.from({ length: 50 }, (_, n) => at(`m${n}`, -2));
    // 2 + ln 20 < 5 < 2 + ln 21
    expect(idsOf([at('best', 0), ...many])).toHaveLength(20);
    expect(idsOf([])).toEqual([]);
  });

  it('has memories far behind the best only in brief', () => {
    const found = evidenceIn([at('a', 0), at('b', -2), at('c', -3)], limits);
    expect(found.map(({ isBrief = false }) => isBrief)).toEqual([false, false, true]);
  });

  it('has what replaces a memory of it', () => {
    const newerFirst = [at('new', -9), at('old', 0)];
    expect(idsOf(newerFirst)).toEqual(['new', 'old']);
    expect(idsOf(newerFirst.toReversed())).toEqual(['old']);
    const linked = [at('old', 0, { supersededBy: 'new' }), at('other', -8), at('new', -9)];
    expect(idsOf(linked)).toEqual(['old', 'new']);
  });

  it('is judged for each part of the question', () => {
    const found = [at('a', 0, { part: 0 }), at('b', -8, { part: 1 }), at('c', -9), at('d', -14, { part: 1 })];
    expect(idsOf(found)).toEqual(['a', 'b']);
  });

  it('has the first candidate, keeps the order, and never more where the others are less relevant', () => {
    const relevances = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(relevances, (all) => {
        const candidates = all
          .toSorted((left, right) => right - left)
          .map((relevance, n) => at(`m${n}`, 0, { relevance }));
        const kept = idsOf(candidates);
        expect(kept.length).toBeGreaterThan(0);
        expect(kept).toEqual(candidates.slice(0, kept.length).map(({ id }) => id));
        const weaker = candidates.map((one, n) => (n === 0 ? one : { ...one, relevance: one.relevance / 2 }));
        expect(idsOf(weaker).length).toBeLessThanOrEqual(kept.length);
      }),
    );
  });
});
