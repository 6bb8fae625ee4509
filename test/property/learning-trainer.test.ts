import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LoggedDecision } from '../../src/domain/learning/logged-decision.ts';
import { greedyArm, type Features } from '../../src/domain/learning/route-policy.ts';
import {
  defaultTrainerSettings,
  isTrainable,
  train,
  untrained,
  type TrainerState,
} from '../../src/domain/learning/trainer.ts';
import { arms, batchOf } from '../support/logged-decisions.ts';

const limit = defaultTrainerSettings.weightLimit;

/** A question with a score of .5 under the threshold 1.01, which the rule never decomposes. */
const complex: Features = { score: 0.5, threshold: 1.01, aggregation: 1, comparison: 1 };

function decisionOf(
  index: number,
  isDecomposed: boolean,
  isUsed: boolean,
  principal = 'ann',
): LoggedDecision {
  return {
    searchId: String(index).padStart(9, '0'),
    principal,
    features: complex,
    arms,
    propensities: [0.8, 0.2],
    incumbent: 'standard',
    taken: isDecomposed ? 'decomposition' : 'standard',
    policyVersion: 'rules-1',
    evaluation: false,
    outcome: { kind: isUsed ? 'used' : 'refined', explicit: true },
    tokens: 100,
    bootstrap: false,
  };
}

/** Of each five decisions one is decomposed; its results are used and those of the standard route are not, or the reverse. */
function history(count: number, isDecompositionBetter: boolean): LoggedDecision[] {
  return Array.from({ length: count }, (_, index) => {
    const isDecomposed = index % 5 === 0;
    return decisionOf(index, isDecomposed, isDecomposed === isDecompositionBetter);
  });
}

function trainAll(
  decisions: readonly LoggedDecision[],
  size = 20,
  state: TrainerState = untrained,
): TrainerState {
  let current = state;
  for (let from = 0; from + size <= decisions.length; from += size) {
    current = train(current, {}, decisions.slice(from, from + size)).state;
  }
  return current;
}

function armOf(state: TrainerState, features: Features) {
  return greedyArm(
    { version: 'test', base: {}, tenant: state.weights, decisions: state.decisions },
    features,
    arms,
  );
}

describe('training', () => {
  it('[C3] gives the same bits for the same decisions in any order', () => {
    fc.assert(
      fc.property(
        batchOf(20, 40).chain((batch) =>
          fc.tuple(fc.constant(batch), fc.shuffledSubarray(batch, { minLength: batch.length })),
        ),
        ([batch, shuffled]) => {
          const json = JSON.stringify(train(untrained, {}, batch));
          expect(JSON.stringify(train(untrained, {}, shuffled))).toBe(json);
          expect(
            JSON.stringify(train(JSON.parse(JSON.stringify(untrained)) as TrainerState, {}, batch)),
          ).toBe(json);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('[C3] stays finite and within its clamps over many steps', () => {
    fc.assert(
      fc.property(fc.array(batchOf(20), { minLength: 1, maxLength: 6 }), (batches) => {
        let state = untrained;
        for (const batch of batches) {
          const step = train(state, {}, batch);
          state = step.state;
          for (const { advantage, importance, weight } of step.consumed) {
            expect(Math.abs(advantage)).toBeLessThanOrEqual(defaultTrainerSettings.advantageLimit);
            expect(importance).toBeLessThanOrEqual(defaultTrainerSettings.importanceLimit);
            expect(weight).toBeGreaterThanOrEqual(0);
            expect(weight).toBeLessThanOrEqual(1);
          }
          for (const value of Object.values(state.weights.decomposition!)) {
            expect(Math.abs(value)).toBeLessThanOrEqual(limit);
          }
        }
        expect(state.steps).toBe(batches.length);
      }),
      { numRuns: 20 },
    );
  });

  it('[C4] shifts the choice towards the arm with the better outcomes, and only then', () => {
    expect(armOf(untrained, complex)).toBe('standard');
    expect(armOf(trainAll(history(300, true)), complex)).toBe('decomposition');
    expect(armOf(trainAll(history(300, false)), complex)).toBe('standard');
    const good: Features = { ...complex, threshold: 0.3 };
    const bad = history(300, false).map((decision) => ({ ...decision, features: good }));
    expect(armOf(untrained, good)).toBe('decomposition');
    expect(armOf(trainAll(bad), good)).toBe('standard');
  });

  it('[C3] keeps a moving average of the reward as its baseline', () => {
    const first = train(untrained, {}, history(20, true));
    expect(first.state.baseline).toBeCloseTo(first.meanReward, 12);
    const second = train(first.state, {}, history(20, false));
    expect(second.state.baseline).toBeCloseTo(0.9 * first.meanReward + 0.1 * second.meanReward, 12);
  });

  it('[C3] takes weights back towards the rule where outcomes say nothing', () => {
    const same = Array.from({ length: 20 }, (_, index) => decisionOf(index, index % 5 === 0, true));
    const start: TrainerState = { ...untrained, weights: { decomposition: { bias: 1 } }, baseline: 1 };
    expect(train(start, {}, same).state.weights.decomposition!['bias']).toBeCloseTo(0.98, 12);
  });

  it('[C3] consumes no decision of the evaluation share, none without a choice or outcome, and no fewer than 20', () => {
    const some = history(20, true);
    const [first] = some as [LoggedDecision];
    const wrong: LoggedDecision[] = [
      { ...first, evaluation: true },
      { ...first, arms: ['standard'], propensities: [1] },
      { ...first, outcome: { kind: 'none', explicit: false } },
    ];
    for (const decision of wrong) {
      expect(isTrainable(decision)).toBe(false);
      expect(() => train(untrained, {}, [...some.slice(1), decision])).toThrow(RangeError);
    }
    expect(() => train(untrained, {}, some.slice(1))).toThrow(RangeError);
  });

  it('[C3] limits what one principal of many can move, within a step and over several', () => {
    const honest = history(400, false).map((decision, index) => ({
      ...decision,
      principal: `user-${index % 8}`,
    }));
    const forged = history(4_000, true).map((decision) => ({
      ...decision,
      searchId: `1${decision.searchId}`,
      principal: 'mallory',
    }));
    const alone = trainAll(honest);
    expect(armOf(trainAll(forged), complex)).toBe('decomposition');
    expect(armOf(trainAll(forged, 20, alone), complex)).toBe('standard');
    expect(armOf(trainAll([...honest.slice(0, 200), ...forged.slice(0, 200)], 400), complex)).toBe(
      'standard',
    );
    const { consumed, state } = train(alone, {}, forged.slice(0, 200));
    const counted = consumed.reduce((sum, { weight }) => sum + weight, 0);
    const all = Object.values(state.principals).reduce((sum, count) => sum + count, 0);
    expect(counted).toBeGreaterThan(0);
    expect(state.principals['mallory']! / all).toBeLessThanOrEqual(0.25 + 1e-9);
  });
});
