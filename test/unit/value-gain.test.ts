import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideValues, valueGain, valuesOff, type UsedSearch } from '../../src/domain/learning/value-gain.ts';
import { evidenceForLook } from '../../src/domain/learning/looks.ts';
import { explicitlyUsed, usedResults, userOf } from '../../src/domain/learning/used-results.ts';
import type { OutcomeSignal } from '../../src/domain/learning/outcome.ts';

/** Searches of different questions; `used` is the index of the result that was used. */
function searches(
  count: number,
  of: (n: number) => { readonly user?: string; readonly used: number | undefined },
  relevances = [0.6, 0.58],
): UsedSearch[] {
  return Array.from({ length: count }, (_, n) => {
    const { user = '', used } = of(n);
    return {
      user,
      question: `q${n}`,
      askedAt: n + 1,
      results: relevances.map((relevance, at) => ({ memoryId: `m${at}`, relevance, used: at === used })),
    };
  });
}

describe('the gain of values in recorded searches', () => {
  it('[C5] is positive where the same memory is used again and again behind another', () => {
    const { questions, gain, error } = valueGain(searches(60, () => ({ used: 1 })));
    expect(questions).toBe(60);
    // The second memory would have been first for each question.
    expect(gain).toBeCloseTo(1 - 1 / Math.log2(3), 12);
    expect(error).toBeCloseTo(0, 12);
  });

  it('[C5] is exactly 0 if no order changes, and without another question', () => {
    expect(valueGain(searches(60, () => ({ used: 0 }))).gain).toBe(0);
    expect(valueGain(searches(1, () => ({ used: 1 }))).gain).toBe(0);
    expect(valueGain([])).toMatchObject({ questions: 0, gain: 0, error: Infinity });
    // Certain relevances are not moved.
    expect(valueGain(searches(60, () => ({ used: 1 }), [1, 0])).gain).toBe(0);
  });

  it('[C5] uses nothing of a question for itself, however often it is asked', () => {
    const again = searches(60, () => ({ used: 1 })).map((search) => ({ ...search, question: 'q' }));
    expect(valueGain(again)).toMatchObject({ questions: 1, gain: 0 });
    // Two questions that are asked in turn and use different memories displace each other's answers.
    const two = searches(60, (n) => ({ used: n % 2 })).map((search, n) => ({
      ...search,
      question: `q${n % 2}`,
    }));
    expect(valueGain(two)).toMatchObject({ questions: 2 });
    expect(valueGain(two).gain).toBeLessThan(0);
  });

  it("[C5] uses nothing of another user's searches, and what callers without a user did", () => {
    const apart = searches(60, (n) => ({ user: `u${n}`, used: 1 }));
    expect(valueGain(apart).gain).toBe(0);
    const shared = searches(60, (n) => ({ ...(n % 2 === 1 && { user: `u${n}` }), used: 1 }));
    expect(valueGain(shared).gain).toBeGreaterThan(0.3);
  });

  it('[C5] compares only searches in which something was used, and does not depend on their order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ user: fc.constantFrom('', 'a', 'b'), used: fc.constantFrom(0, 1, undefined) }), {
          maxLength: 30,
        }),
        (drawn) => {
          const log = searches(drawn.length, (n) => drawn[n]!);
          const result = valueGain(log);
          expect(valueGain([...log].reverse())).toEqual(result);
          expect(result.questions).toBe(drawn.filter(({ used }) => used !== undefined).length);
          expect(Math.abs(result.gain)).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  it('[C5] names the least gain without one of four users or more', () => {
    const users = ['a', 'b', 'c', 'd'];
    const one = searches(100, (n) => ({ user: users[n % 4]!, used: n % 4 === 0 ? 1 : 0 }));
    const result = valueGain(one);
    expect(result.gain).toBeGreaterThan(0);
    expect(result.leastWithoutOne).toBe(0);
    expect(valueGain(searches(9, (n) => ({ user: users[n % 3]!, used: 1 }))).leastWithoutOne).toBeUndefined();
  });
});

describe('the decision whether values rank', () => {
  const gain = { questions: 50, gain: 0.05, error: 0.01, leastWithoutOne: undefined };

  it('[C5] is made at 50 searches and their doublings only', () => {
    expect([0, 1, 2].map(evidenceForLook)).toEqual([50, 100, 200]);
    expect(decideValues(gain, valuesOff, 49)).toBeUndefined();
    expect(decideValues(gain, valuesOff, 50)).toMatchObject({ looks: 1, weight: 0.5 });
    expect(decideValues(gain, { looks: 1, weight: 0 }, 99)).toBeUndefined();
    expect(decideValues(gain, valuesOff, 450)).toMatchObject({ looks: 4 });
    expect(decideValues(gain, { looks: 3, weight: 0 }, 400)).toMatchObject({ looks: 4 });
  });

  it('[C5] switches on by a lower bound above 0, off by an upper bound below 0, and else changes nothing', () => {
    const on = { looks: 1, weight: 0.5 };
    const at100 = { ...gain, questions: 100 };
    expect(decideValues({ ...gain, error: 0.03 }, valuesOff, 50)).toMatchObject({ weight: 0 });
    expect(decideValues({ ...at100, error: 0.03 }, on, 100)).toMatchObject({ weight: 0.5 });
    expect(decideValues({ ...at100, gain: -0.05 }, on, 100)).toMatchObject({ weight: 0 });
    expect(decideValues({ ...gain, gain: 0, error: 0 }, valuesOff, 50)).toMatchObject({ weight: 0 });
    expect(decideValues({ ...gain, leastWithoutOne: 0 }, valuesOff, 50)).toMatchObject({ weight: 0 });
  });

  it('[C5] needs more at a later look', () => {
    const close = { ...gain, questions: 100, gain: 0.0215 };
    expect(decideValues(close, valuesOff, 100)).toMatchObject({ weight: 0.5 });
    expect(decideValues(close, { looks: 1, weight: 0 }, 100)).toMatchObject({ weight: 0 });
  });
});

describe('what was used', () => {
  const posted = (...memoryIds: string[]): OutcomeSignal => ({ kind: 'used', source: 'caller', memoryIds });
  const judged = (id: string, kind: 'used' | 'ignored' | 'withdrawn'): OutcomeSignal => ({
    kind,
    source: 'feedback',
    memoryIds: [id],
  });

  it('[C5] comes from explicit outcomes alone', () => {
    expect(explicitlyUsed([])).toBeUndefined();
    for (const source of ['context', 'refinement', 'session-end', 'window'] as const)
      expect(explicitlyUsed([{ kind: 'used', source, memoryIds: ['a'] }])).toBeUndefined();
    expect(explicitlyUsed([judged('a', 'used'), posted('b'), posted('c', 'd')])).toEqual(new Set(['c', 'd']));
    expect(explicitlyUsed([posted('b'), { kind: 'ignored', source: 'caller', memoryIds: [] }])).toEqual(
      new Set(),
    );
    expect(explicitlyUsed([judged('a', 'used'), judged('b', 'used'), judged('a', 'ignored')])).toEqual(
      new Set(['b']),
    );
    expect(explicitlyUsed([judged('a', 'used'), judged('b', 'ignored'), judged('a', 'withdrawn')])).toEqual(
      new Set(),
    );
    expect(explicitlyUsed([judged('a', 'used'), judged('a', 'withdrawn')])).toBeUndefined();
  });

  it('[C5] does not come from feedback that was withdrawn', () => {
    expect(explicitlyUsed([judged('a', 'used'), judged('a', 'withdrawn')])).toBeUndefined();
    expect(explicitlyUsed([judged('a', 'ignored'), judged('b', 'used'), judged('b', 'withdrawn')])).toEqual(
      new Set(),
    );
    expect(explicitlyUsed([judged('a', 'withdrawn'), judged('a', 'used')])).toEqual(new Set(['a']));
  });

  it('[C5] is counted only where it was shown, against the relevance without the value', () => {
    const results = [
      { memoryId: 'a', relevance: 2 / 3, value: Math.log(2) },
      { memoryId: 'b', relevance: 0.4 },
    ];
    const [a, b] = usedResults(results, new Set(['a', 'c']));
    expect(a).toMatchObject({ memoryId: 'a', used: true });
    expect(a!.relevance).toBeCloseTo(0.5, 12);
    expect(b).toEqual({ memoryId: 'b', relevance: 0.4, used: false });
  });

  it('[C5] belongs to the user who asked, also through an agent', () => {
    expect(userOf({ actor: 'user:ada' })).toBe('ada');
    expect(userOf({ actor: 'agent:bot', onBehalfOf: 'ada' })).toBe('ada');
    expect(userOf({ actor: 'agent:bot' })).toBeUndefined();
    expect(userOf({ actor: 'key:1' })).toBeUndefined();
  });
});
