import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compare,
  evaluate,
  evidenceFor,
  intervalOf,
  isEvidence,
  type Chooser,
  type Comparison,
} from '../../src/domain/learning/estimators.ts';
import {
  anytimeReach,
  decidePromotion,
  errorOfLook,
  watchLive,
} from '../../src/domain/learning/promotion.ts';
import { evidenceForLook } from '../../src/domain/learning/looks.ts';
import { normalQuantile, studentQuantile } from '../../src/domain/learning/quantiles.ts';
import { fitRewardModel, type RewardModel } from '../../src/domain/learning/reward-model.ts';
import { rulePolicy, shippedBase, type RoutePolicy } from '../../src/domain/learning/route-policy.ts';
import { randomOf } from '../support/random.ts';
import golden from '../fixtures/off-policy-estimates.json' with { type: 'json' };
import { arms, batchOf, decisions } from '../support/logged-decisions.ts';

const always =
  (index: number): Chooser =>
  () =>
    arms[index]!;
const byScore: Chooser = ({ score }) => arms[score! < 0.5 ? 0 : 1]!;

/** A comparison log of decomposition with the standard route. `gains` are the rewards of the decisions that took decomposition. */
function logOf(
  gains: readonly number[],
  losses: readonly number[],
  principal = (_: number) => 'ann',
): Comparison[] {
  const one = (taken: 0 | 1) => (reward: number, index: number) => ({
    principal: principal(index),
    features: {},
    taken: arms[taken]!,
    propensity: 0.5,
    reward,
    candidate: arms[1]!,
    incumbent: arms[0]!,
  });
  return [...gains.map(one(1)), ...losses.map(one(0))];
}

const noise = (count: number, mean: number) =>
  Array.from({ length: count }, (_, index) => mean + (index % 2 === 0 ? 0.2 : -0.2));

describe('off-policy estimates', () => {
  it('[C7] equal those of the package obp 0.5.5', () => {
    const log = golden.log.map(({ taken, candidate, incumbent, ...rest }, index) => ({
      ...rest,
      principal: 'ann',
      features: { index },
      taken: arms[taken]!,
      candidate: arms[candidate]!,
      incumbent: arms[incumbent]!,
    }));
    const model: RewardModel = (features, arm) =>
      golden.log[features['index']!]!.expected[arms.indexOf(arm)]!;
    const { ips, snips, doublyRobust } = evaluate(log, [model]);
    expect(ips.value).toBeCloseTo(golden.gains.ips, 12);
    expect(snips.value).toBeCloseTo(golden.gains.snips, 12);
    expect(doublyRobust.value).toBeCloseTo(golden.gains.doublyRobust, 12);
  });

  it('[C7] are exactly 0 where both policies choose the same, and change their sign with the roles', () => {
    fc.assert(
      fc.property(batchOf(2, 40), (log) => {
        const same = compare(log, byScore, byScore);
        expect(same).toMatchObject({ deviating: 0, matched: 0, ips: { value: 0 }, snips: { value: 0 } });
        expect(same.doublyRobust).toEqual({ value: 0, error: 0 });
        const [there, back] = [compare(log, always(1), byScore), compare(log, byScore, always(1))];
        for (const name of ['ips', 'snips', 'doublyRobust'] as const) {
          expect(there[name].value).toBeCloseTo(-back[name].value, 9);
        }
        expect(there.matched).toBeCloseTo(back.opposed, 9);
        expect(compare([...log].reverse(), always(1), byScore)).toEqual(there);
      }),
      { numRuns: 50 },
    );
  });

  it('[C7] count what is matched, not how large the log is', () => {
    const unrelated = logOf([], noise(1_000, 0)).map((entry) => ({ ...entry, candidate: arms[0]! }));
    const { matched, opposed, deviating, effectiveSize } = evaluate([
      ...unrelated,
      ...logOf([1, 1], [0, 0, 0]),
    ]);
    expect({ matched, opposed }).toEqual({ matched: 2, opposed: 3 });
    expect(deviating).toBeCloseTo(5 / 1_005, 12);
    expect(effectiveSize).toBeCloseTo(1_002, 6);
  });

  it('[C7] take no more than a quarter from one principal of many, and tell a gain that hangs on one', () => {
    const forged = logOf(noise(400, 1), noise(400, 0), () => 'mallory');
    const honest = logOf(noise(40, 0.4), noise(40, 0.5), (index) => `user-${index % 8}`);
    const evaluation = evaluate([...forged, ...honest]);
    expect(evaluation.matched).toBeCloseTo(40 + 40 / 3, 6);
    expect(evaluation.leastWithoutOne).toBeLessThan(0);
    expect(decidePromotion(evaluation, 0).verdict).toBe('keep-collecting');
    expect(decidePromotion(evaluate(forged), 0).verdict).toBe('promote');
  });

  it('[C6] [C7] accept as evidence only what was kept for evaluation and told by a caller', () => {
    const [decision] = fc.sample(decisions, 1);
    const evidence = { ...decision!, evaluation: true };
    expect(isEvidence(evidence)).toBe(true);
    expect(isEvidence({ ...evidence, evaluation: false })).toBe(false);
    expect(isEvidence({ ...evidence, bootstrap: true })).toBe(false);
    expect(isEvidence({ ...evidence, arms: ['standard'] })).toBe(false);
    expect(isEvidence({ ...evidence, outcome: { kind: 'used', quality: 0.6, explicit: false } })).toBe(false);
    expect(isEvidence({ ...evidence, outcome: { kind: 'none', explicit: true } })).toBe(false);
  });

  it('[C7] accept all that callers told for the shipped base, and only the evaluation share for what has learned', () => {
    const [decision] = fc.sample(decisions, 1);
    const log = [
      { ...decision!, evaluation: true },
      { ...decision!, evaluation: false },
      { ...decision!, evaluation: true, bootstrap: true },
    ];
    const base: RoutePolicy = { version: 'base-0', base: shippedBase, tenant: {}, decisions: 0 };
    for (const unlearned of [base, rulePolicy, { ...base, tenant: { decomposition: { bias: 0 } } }]) {
      expect(evidenceFor(unlearned, log)).toEqual(log.slice(0, 2));
    }
    for (const learned of [
      { ...base, tenant: { decomposition: { score: 0.1 } } },
      { ...base, base: { decomposition: { ...shippedBase.decomposition, bias: -0.1 } } },
    ]) {
      expect(evidenceFor(learned, log)).toEqual(log.slice(0, 1));
    }
  });

  it('say nothing about an empty log', () => {
    expect(compare([], always(1), always(0))).toMatchObject({ decisions: 0, matched: 0, effectiveSize: 0 });
    expect(decidePromotion(compare([], always(1), always(0)), 0).verdict).toBe('keep-collecting');
  });
});

describe('reward model', () => {
  it('finds a linear reward, for each arm its own', () => {
    const rows = Array.from({ length: 4_000 }, (_, index) => {
      const features = { score: (index % 97) / 97, layers: (index % 31) / 31 };
      const taken = arms[index % 2]!;
      const reward = taken === 'standard' ? 0.5 - 0.4 * features.score : 0.1 + 0.6 * features.layers;
      return { features, taken, reward };
    });
    const model = fitRewardModel(rows);
    expect(model({ score: 0.5, layers: 0.5 }, 'standard')).toBeCloseTo(0.3, 2);
    expect(model({ score: 0.5, layers: 0.5 }, 'decomposition')).toBeCloseTo(0.4, 2);
  });

  it('answers the mean for an arm that was never taken', () => {
    const model = fitRewardModel([{ features: {}, taken: 'standard', reward: 0.25 }]);
    expect(model({ score: 1 }, 'decomposition')).toBe(0.25);
  });
});

describe('quantiles', () => {
  // From printed tables.
  it.each([
    [0.025, 1.959_96],
    [0.0125, 2.241_4],
    [0.000_1, 3.719],
  ])('of the normal distribution at %d', (tail, expected) => {
    expect(normalQuantile(tail)).toBeCloseTo(expected, 2);
  });

  it.each([
    [0.025, 10, 2.228_1],
    [0.025, 49, 2.009_6],
    [0.005, 30, 2.75],
    [0.0005, 20, 3.849_5],
  ])('of Student’s t at %d with %d degrees of freedom', (tail, degrees, expected) => {
    expect(Math.abs(studentQuantile(tail, degrees) - expected)).toBeLessThan(0.01);
  });
});

describe('promotion', () => {
  it('[C7] spends at most .05 over the looks, at 50, 100, 200 matched deviations', () => {
    expect([0, 1, 2, 3].map(evidenceForLook)).toEqual([50, 100, 200, 400]);
    const spent = Array.from({ length: 60 }, (_, index) => errorOfLook(index + 1)).reduce(
      (sum, error) => sum + error,
    );
    // But for the rounding of the sum.
    expect(spent).toBeLessThanOrEqual(0.05 + 1e-15);
  });

  it.each([
    ['better', 0.3, 'promote'],
    ['equal', 0, 'keep-collecting'],
    ['worse', -0.3, 'reject'],
  ] as const)('[C7] of a candidate that is %s', (_, gain, verdict) => {
    const evaluation = evaluate(logOf(noise(60, 0.5 + gain), noise(60, 0.5)));
    const decided = decidePromotion(evaluation, 0);
    expect(decided).toMatchObject({ verdict, looks: 1 });
    // The next look is at 100.
    expect(decidePromotion(evaluation, 1)).toMatchObject({
      verdict: 'keep-collecting',
      looks: 1,
      interval: undefined,
    });
  });

  it('[C7] waits for 50 matched deviations, however clear the gain', () => {
    expect(decidePromotion(evaluate(logOf(noise(49, 1), noise(500, 0))), 0)).toMatchObject({
      verdict: 'keep-collecting',
      looks: 0,
    });
  });

  it('[C7] counts a log that has doubled more than once as one look', () => {
    const equal = evaluate(logOf(noise(220, 0.5), noise(220, 0.5)));
    const { looks, interval } = decidePromotion(equal, 0);
    expect(looks).toBe(3);
    // With the error of the looks that were not made.
    const spent = errorOfLook(1) + errorOfLook(2) + errorOfLook(3);
    expect(interval).toEqual(intervalOf(equal.doublyRobust, equal.matched, 2 * spent));
  });

  it('[C7] needs SNIPS to agree', () => {
    const evaluation = evaluate(logOf(noise(60, 0.8), noise(60, 0.5)));
    const disagreeing = { ...evaluation, snips: { value: -0.01, error: 0.1 } };
    expect(decidePromotion(disagreeing, 0).verdict).toBe('keep-collecting');
  });

  it('[C7] rolls back what falls below its predecessor, during the canary and after', () => {
    const [better, equal, worse] = [0.3, 0, -0.3].map((gain) =>
      evaluate(logOf(noise(40, 0.5 + gain), noise(40, 0.5))),
    );
    for (const isCanary of [true, false]) expect(watchLive(worse!, isCanary)).toBe('roll-back');
    expect(watchLive(better!, true)).toBe('complete');
    expect(watchLive(equal!, true)).toBe('complete');
    expect(watchLive(equal!, false)).toBe('continue');
    expect(watchLive(evaluate(logOf(noise(5, 0.5), noise(5, 0.5))), true)).toBe('continue');
  });

  it('[C7] rolls back few policies that are equal, however often they are watched', () => {
    const random = randomOf(7);
    const rolledBack = Array.from({ length: 120 }, () => {
      const log: Comparison[] = [];
      for (let count = 0; count < 400; count += 10) {
        for (let index = 0; index < 10; index += 1) {
          const [entry] = random.chance(0.5)
            ? logOf([Number(random.chance(0.6))], [])
            : logOf([], [Number(random.chance(0.6))]);
          log.push(entry!);
        }
        if (watchLive(evaluate(log, [() => 0.6]), false) === 'roll-back') return 1;
      }
      return 0;
    });
    expect(rolledBack.reduce<number>((sum, one) => sum + one, 0)).toBeLessThanOrEqual(0.025 * 120);
  });

  it('[C7] bounds sums of random numbers at all sizes at once, with the given error', () => {
    const random = randomOf(11);
    const normal = () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
    const [error, walks] = [0.1, 1_000];
    const reaches = Array.from({ length: 1_000 }, (_, index) => anytimeReach(index + 1, error));
    let [crossed, crossedFixed] = [0, 0];
    for (let walk = 0; walk < walks; walk += 1) {
      let [sum, largest, largestFixed] = [0, 0, 0];
      for (const [index, reach] of reaches.entries()) {
        sum += normal();
        const deviation = sum / Math.sqrt(index + 1);
        largest = Math.max(largest, deviation / reach);
        largestFixed = Math.max(largestFixed, deviation / normalQuantile(error));
      }
      if (largest >= 1) crossed += 1;
      if (largestFixed >= 1) crossedFixed += 1;
    }
    expect(crossed).toBeGreaterThan(0);
    expect(crossed / walks).toBeLessThanOrEqual(error);
    // A bound for a single look does not survive a thousand.
    expect(crossedFixed / walks).toBeGreaterThan(3 * error);
  });

  // √(2 · 8.93 / 7.93 · ln(1 + √8.93 / .05)), by hand.
  it('[C7] bounds live figures at all sizes at once', () => {
    expect(anytimeReach(50, 0.025)).toBeCloseTo(3.041, 2);
    for (const size of [20, 100, 1_000, 10_000]) expect(anytimeReach(size, 0.025)).toBeGreaterThan(3);
  });
});
