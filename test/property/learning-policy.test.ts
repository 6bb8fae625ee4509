import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chosenShares,
  drawArm,
  evaluationShare,
  explorationRate,
  isForEvaluation,
  mixExploration,
  planExploration,
  uniformOf,
} from '../../src/domain/learning/exploration.ts';
import { principalLevel } from '../../src/domain/learning/principal-weights.ts';
import { defaultRewardSettings, rewardOf } from '../../src/domain/learning/reward.ts';
import {
  greedyArm,
  probabilitiesOf,
  rulePolicy,
  shippedBase,
  softmax,
  type RoutePolicy,
} from '../../src/domain/learning/route-policy.ts';
import { typicalMean } from '../../src/domain/learning/typical-questions.ts';
import { arms, features, outcomes } from '../support/logged-decisions.ts';

const unit = fc.double({ min: 0, max: 1, noNaN: true });
const weight = fc.double({ min: -3, max: 3, noNaN: true });
const weights = fc.record({ decomposition: fc.record({ bias: weight, score: weight, layers: weight }) });
const policies: fc.Arbitrary<RoutePolicy> = fc.record({
  version: fc.constant('test'),
  base: weights,
  tenant: weights,
  decisions: fc.nat(10_000),
});

describe('reward', () => {
  it.each([
    ['used at full quality', { kind: 'used', quality: 1, explicit: true }, 0, 1],
    ['packed into a context', { kind: 'used', quality: 0.6, explicit: false }, 0, 0.9],
    ['used without a quality', { kind: 'used', explicit: true }, 100_000, 1],
    ['refined', { kind: 'refined', explicit: false }, 50_000, 0.45],
    ['ignored', { kind: 'ignored', explicit: true }, 0, -0.2],
    ['ignored after a great many tokens', { kind: 'ignored', explicit: true }, 1e9, -0.5],
    ['without a signal', { kind: 'none', explicit: false }, 0, 0.3],
  ] as const)('[C2] of a search that was %s', (_, outcome, tokens, expected) => {
    expect(rewardOf(outcome, tokens)).toBeCloseTo(expected, 12);
  });

  it('[C2] is within −1 to 1 for any settings, and never rises with tokens', () => {
    const settings = fc.record({
      success: fc.double({ min: 0, max: 10, noNaN: true }),
      efficiency: fc.double({ min: 0, max: 10, noNaN: true }),
      tokenScale: fc.integer({ min: 1, max: 1e6 }),
      refined: fc.double({ min: -1, max: 1, noNaN: true }),
      ignored: fc.double({ min: -1, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(outcomes, settings, fc.nat(1e6), fc.nat(1e6), (outcome, chosen, a, b) => {
        const [few, many] = [
          rewardOf(outcome, Math.min(a, b), chosen),
          rewardOf(outcome, Math.max(a, b), chosen),
        ];
        expect(few).toBeGreaterThanOrEqual(many);
        expect(few).toBeLessThanOrEqual(1);
        expect(many).toBeGreaterThanOrEqual(-1);
      }),
    );
  });

  it('[C2] sees small differences of tokens with a smaller scale', () => {
    const ignored = { kind: 'ignored', explicit: true } as const;
    const gap = (tokenScale: number) => {
      const settings = { ...defaultRewardSettings, tokenScale };
      return rewardOf(ignored, 0, settings) - rewardOf(ignored, 156, settings);
    };
    expect(gap(100_000)).toBeCloseTo(0.000_468, 9);
    expect(gap(1_000)).toBeCloseTo(0.0468, 9);
  });
});

describe('policy of routes', () => {
  it('[C4] is exactly the rule without weights', () => {
    fc.assert(
      fc.property(features, (given) => {
        const expected = given.score >= given.threshold ? 'decomposition' : 'standard';
        expect(greedyArm(rulePolicy, given, arms)).toBe(expected);
        expect(greedyArm(rulePolicy, { ...given, score: given.threshold }, arms)).toBe('decomposition');
      }),
    );
  });

  it('[D7] starts a candidate from the rule with the default threshold, whatever threshold is in force', () => {
    const shipped = { ...rulePolicy, base: shippedBase };
    fc.assert(
      fc.property(features, (given) => {
        // Closer than rounding to the threshold, either is right.
        fc.pre(given.score === 0.3 || Math.abs(given.score - 0.3) > 1e-12);
        expect(greedyArm(shipped, given, arms)).toBe(given.score >= 0.3 ? 'decomposition' : 'standard');
        expect(greedyArm(shipped, { ...given, score: 0.3 }, arms)).toBe('decomposition');
      }),
    );
  });

  it('[C4] gives probabilities that add up to 1 and are greatest for the greedy arm', () => {
    fc.assert(
      fc.property(policies, features, (policy, given) => {
        const probabilities = probabilitiesOf(policy, given, arms);
        expect(probabilities[0]! + probabilities[1]!).toBeCloseTo(1, 12);
        const greedy = probabilities[arms.indexOf(greedyArm(policy, given, arms))]!;
        expect(greedy).toBe(Math.max(...probabilities));
      }),
    );
  });

  it('[D7] applies a tenant’s weights the more, the more decisions they come from', () => {
    fc.assert(
      fc.property(policies, features, weights, (policy, given, base) => {
        const logOdds = (tenantDecisions: number) => {
          const [standard, split] = probabilitiesOf(
            { ...policy, base, decisions: tenantDecisions },
            given,
            arms,
          );
          return Math.log(split! / standard!);
        };
        const [none, some, many] = [0, 20, 1e9].map(logOdds) as [number, number, number];
        expect(none).toBeCloseTo(logOddsOf({ ...policy, base, tenant: {} }), 6);
        expect(some).toBeCloseTo((none + many) / 2, 5);
        function logOddsOf(other: RoutePolicy): number {
          const [standard, split] = probabilitiesOf(other, given, arms);
          return Math.log(split! / standard!);
        }
      }),
    );
  });

  it('knows a single arm, and survives great logits', () => {
    expect(greedyArm(rulePolicy, { score: 1, threshold: 0 }, ['standard'])).toBe('standard');
    expect(softmax([1_000, 0])).toEqual([1, 0]);
    expect(softmax([-1_000, -1_000])).toEqual([0.5, 0.5]);
  });
});

describe('exploration', () => {
  it('[C4] starts at .2, falls by .999 a decision, and stays at .05 at least', () => {
    expect(explorationRate(0)).toBe(0.2);
    expect(explorationRate(500)).toBeCloseTo(0.2 * 0.999 ** 500, 12);
    expect(explorationRate(100_000)).toBe(0.05);
    fc.assert(
      fc.property(fc.nat(10_000), (t) => {
        expect(explorationRate(t + 1)).toBeLessThanOrEqual(explorationRate(t));
      }),
    );
  });

  it('[C4] prefers questions near the threshold while the policies agree', () => {
    const explored = planExploration({
      threshold: 0.3,
      incumbent: rulePolicy,
      candidate: rulePolicy,
      decisions: 0,
    });
    fc.assert(
      fc.property(unit, unit, (a, b) => {
        const [near, far] = [a, b].sort((x, y) => Math.abs(x - 0.3) - Math.abs(y - 0.3)) as [number, number];
        expect(explored({ score: near, threshold: 0.3 })).toBeGreaterThanOrEqual(
          explored({ score: far, threshold: 0.3 }),
        );
      }),
    );
  });

  it('[C4] prefers questions near to where the policy in force changes its choice, wherever the threshold is', () => {
    const base = { ...rulePolicy, base: shippedBase };
    const explored = planExploration({ threshold: 1, incumbent: base, candidate: base, decisions: 0 });
    const at = (score: number) => explored({ score, threshold: 1 });
    expect(at(0.3)).toBeGreaterThan(2 * at(0.6));
    expect(at(0.6)).toBeGreaterThan(at(0.9));
  });

  it('[C4] prefers questions for which the policies disagree', () => {
    const candidate = { ...rulePolicy, base: shippedBase };
    const explored = planExploration({ threshold: 1.01, incumbent: rulePolicy, candidate, decisions: 0 });
    // The candidate starts as the default rule and decomposes from .3 on, the rule in force never.
    expect(explored({ score: 0.3, threshold: 1.01 })).toBeGreaterThan(0.4);
    expect(explored({ score: 0.29, threshold: 1.01 })).toBeLessThan(0.05);
  });

  it('[C4] explores every question, none more than half of the time, and on the whole hardly more than the rate', () => {
    fc.assert(
      fc.property(
        policies,
        policies,
        features,
        fc.nat(3_000),
        (incumbent, candidate, { threshold, ...given }, t) => {
          const explored = planExploration({ threshold, incumbent, candidate, decisions: t });
          expect(explored({ ...given, threshold })).toBeGreaterThan(0);
          expect(explored({ ...given, threshold })).toBeLessThanOrEqual(0.5);
          const mean = typicalMean((question) => explored({ ...question, threshold }));
          expect(mean).toBeLessThanOrEqual(1.35 * explorationRate(t) + 1e-9);
        },
      ),
    );
  });

  it('[C4] mixes to a whole propensity vector that adds up to 1, also during a canary', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...arms),
        fc.option(fc.constantFrom(...arms), { nil: undefined }),
        unit,
        unit,
        (incumbent, candidate, canary, explored) => {
          const mixed = mixExploration(chosenShares(arms, incumbent, candidate, canary), explored);
          expect(mixed[0]! + mixed[1]!).toBeCloseTo(1, 12);
          for (const share of mixed) expect(share).toBeGreaterThanOrEqual(0);
        },
      ),
    );
    expect(mixExploration(chosenShares(arms, 'standard', undefined, 0.5), 0.2)).toEqual([0.8, 0.2]);
    expect(mixExploration(chosenShares(arms, 'standard', 'decomposition', 0.25), 0)).toEqual([0.75, 0.25]);
    expect(mixExploration([1], 0.2)).toEqual([1]);
  });

  it('[C4] draws each arm as often as its propensity says, repeatably by the id of the search', () => {
    const draws = Array.from({ length: 20_000 }, (_, index) => uniformOf('route', `search-${index}`));
    const decomposed = draws.filter((uniform) => drawArm(arms, [0.8, 0.2], uniform) === 'decomposition');
    expect(Math.abs(decomposed.length / draws.length - 0.2)).toBeLessThan(0.01);
    expect(uniformOf('route', 'search-7')).toBe(draws[7]);
    expect(drawArm(arms, [1, 0], 1 - 2 ** -48)).toBe('standard');
    expect(drawArm(arms, [0.3, 0.7 - 1e-9], 1 - 1e-12)).toBe('decomposition');
  });

  it('[C7] keeps a share of the sessions for evaluation, whatever their searches draw', () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => `session-${index}`);
    const kept = ids.filter(isForEvaluation);
    expect(Math.abs(kept.length / ids.length - evaluationShare)).toBeLessThan(0.02);
    const drawn = kept.filter((id) => uniformOf('route', id) < 0.2).length / kept.length;
    expect(Math.abs(drawn - 0.2)).toBeLessThan(0.02);
  });
});

describe('weight of principals', () => {
  const counts = fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 30 });
  it('[C7] leaves nobody more than a quarter, or an equal share of fewer than four', () => {
    fc.assert(
      fc.property(counts, (given) => {
        const level = principalLevel(given);
        const counted = given.map((count) => Math.min(count, level));
        const all = counted.reduce((sum, count) => sum + count, 0);
        const limit = Math.max(0.25, 1 / given.length);
        for (const count of counted) expect(count / all).toBeLessThanOrEqual(limit + 1e-9);
        // It cuts nobody for nothing: those below the level count whole, and one who is cut has the whole share.
        if (Math.max(...given) > level + 1e-9) expect(Math.max(...counted) / all).toBeCloseTo(limit, 9);
      }),
    );
  });

  it.each([
    [[7], 7],
    [[95, 5], 5],
    [[100, 10, 10, 10], 10],
    [[100, 30, 30, 30, 30], 40],
    [[5, 5, 5, 5, 5], 5],
  ])('[C7] of %j counts at most %d of one', (given, expected) => {
    expect(principalLevel(given)).toBeCloseTo(expected, 9);
  });
});
