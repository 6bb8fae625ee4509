import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bootstrapDecisions } from '../../src/domain/learning/bootstrap.ts';
import { isEvidence, type Evaluation } from '../../src/domain/learning/estimators.ts';
import { baseOf, shipped } from '../../src/domain/learning/global-base.ts';
import type { RoutePolicyEvent } from '../../src/domain/learning/policy-events.ts';
import { afterLook, learnFrom, promoteToAll, rollBack } from '../../src/domain/learning/policy-decider.ts';
import {
  candidateOf,
  emptyHistory,
  evolve,
  policyWithVersion,
  type PolicyHistory,
} from '../../src/domain/learning/policy-history.ts';
import { evidenceForLook } from '../../src/domain/learning/looks.ts';
import { decidePromotion } from '../../src/domain/learning/promotion.ts';
import { logitsOf, rulePolicy } from '../../src/domain/learning/route-policy.ts';
import { isTrainable, leastDecisions } from '../../src/domain/learning/trainer.ts';
import { typicalQuestions } from '../../src/domain/learning/typical-questions.ts';
import { arms, batchOf } from '../support/logged-decisions.ts';

const clear: Evaluation = {
  decisions: 400,
  deviating: 0.5,
  matched: 60,
  opposed: 60,
  effectiveSize: 100,
  ips: { value: 0.2, error: 0.02 },
  snips: { value: 0.2, error: 0.02 },
  doublyRobust: { value: 0.2, error: 0.02 },
  interval: [0.16, 0.24],
  leastWithoutOne: undefined,
};
const unclear: Evaluation = {
  ...clear,
  doublyRobust: { value: 0, error: Infinity },
  interval: [-Infinity, Infinity],
};

const operator = { by: 'operator', reason: 'operator' } as const;

type Act = 'learn' | 'look' | 'look-again' | 'complete' | 'roll-back-canary' | 'roll-back';

const acts = fc.array(
  fc.constantFrom<Act>('learn', 'look', 'look-again', 'complete', 'roll-back-canary', 'roll-back'),
  { maxLength: 90 },
);

function decide(act: Act, history: PolicyHistory): readonly RoutePolicyEvent[] {
  const candidate = candidateOf(history, shipped);
  const matched = evidenceForLook(history.looks) + 10;
  const look = (evaluation: Evaluation) =>
    afterLook(history, candidate, evaluation, decidePromotion(evaluation, history.looks));
  const optional = (event: RoutePolicyEvent | undefined) => (event ? [event] : []);
  switch (act) {
    case 'learn':
      return [learnFrom(history, shipped, bootstrapDecisions(0.3))];
    case 'look':
      if (history.canary) return [];
      return optional(look({ ...clear, matched }));
    case 'look-again':
      return optional(look({ ...unclear, matched }));
    case 'complete':
      return history.canary ? promoteToAll(history, history.canary, { by: 'process', forced: false }) : [];
    case 'roll-back-canary':
      return optional(history.canary && rollBack(history, history.canary.version, operator));
    case 'roll-back':
      return optional(rollBack(history, history.incumbent.version, operator));
  }
}

function recorded(event: RoutePolicyEvent, { revision }: PolicyHistory) {
  return { event, revision: revision + 1, position: 10 * (revision + 2), time: new Date(revision * 1_000) };
}

/** The histories after each event of a stream that these acts write, the empty one first, and the events. */
function play(sequence: readonly Act[]) {
  const histories = [emptyHistory];
  const events: ReturnType<typeof recorded>[] = [];
  for (const act of sequence)
    for (const event of decide(act, histories.at(-1)!)) {
      events.push(recorded(event, histories.at(-1)!));
      histories.push(evolve(histories.at(-1)!, events.at(-1)!));
    }
  return { histories, events };
}

describe('history of policies', () => {
  it('[C3] is the same after a round trip through the database between any two events, and when an event comes twice', () => {
    fc.assert(
      fc.property(acts, (sequence) => {
        const { histories, events } = play(sequence);
        const stored = events.reduce<PolicyHistory>((history, event) => {
          const next = evolve(evolve(history, event), event);
          return { ...emptyHistory, ...(JSON.parse(JSON.stringify(next)) as PolicyHistory) };
        }, emptyHistory);
        expect(stored).toEqual(histories.at(-1));
      }),
    );
  });

  it('[C7] is bounded, and knows every policy that has traffic or can get it back', () => {
    fc.assert(
      fc.property(acts, (sequence) => {
        for (const history of play(sequence).histories) {
          const { incumbent, canary, earlier, versions } = history;
          expect(versions.length).toBeLessThanOrEqual(50 + earlier.length + 2);
          for (const policy of [incumbent, ...(canary ? [canary] : []), ...earlier])
            expect(policyWithVersion(history, policy.version, shipped)).toEqual(policy);
        }
      }),
    );
  });

  it('[C7] a roll-back returns to the policies before, one after another, and at last to the rule', () => {
    fc.assert(
      fc.property(acts, (sequence) => {
        let history = play(sequence).histories.at(-1)!;
        const expected = [...history.earlier].reverse();
        if (history.canary)
          history = evolve(history, recorded(decide('roll-back-canary', history)[0]!, history));
        for (const policy of expected) {
          const event = rollBack(history, history.incumbent.version, operator);
          // The rule was promoted again: it has nothing to return to.
          if (!event) return;
          history = evolve(history, recorded(event, history));
          expect(history.incumbent).toEqual(policy);
        }
        expect(history.canary).toBeUndefined();
      }),
      // A canary with the version in force: only the canary ends with its roll-back.
      { examples: [[['look', 'learn', 'complete', 'look', 'complete', 'look']]] },
    );
  });

  it('[C7] a canary gets its share after a look that proves it, and then all traffic', () => {
    const { histories } = play(['learn', 'look-again', 'learn', 'look', 'complete']);
    expect(
      histories.map(({ incumbent, canary, looks }) => [incumbent.version, canary?.version, looks]),
    ).toEqual([
      ['rules-1', undefined, 0],
      ['rules-1', undefined, 0],
      ['rules-1', undefined, 1],
      ['rules-1', undefined, 1],
      ['rules-1', 'base-0', 0],
      ['base-0', undefined, 0],
    ]);
    const [after] = histories.slice(-1) as [PolicyHistory];
    expect(candidateOf(after, shipped).version).toBe('learned-2');
  });

  it('[C7] what was learned is compared after the base was rejected, and learned anew after it was rejected itself', () => {
    const worse: Evaluation = { ...clear, doublyRobust: { value: -0.2, error: 0.02 } };
    const reject = (history: PolicyHistory) => {
      const decided = decidePromotion(worse, history.looks);
      expect(decided.verdict).toBe('reject');
      return evolve(
        history,
        recorded(afterLook(history, candidateOf(history, shipped), worse, decided)!, history),
      );
    };
    const learnt = play(['learn', 'learn']).histories.at(-1)!;
    expect(candidateOf(learnt, shipped).version).toBe('base-0');
    const withoutBase = reject(learnt);
    expect(withoutBase.trainer).toEqual(learnt.trainer);
    expect(candidateOf(withoutBase, shipped).version).toBe('learned-2');
    const anew = reject({ ...withoutBase, looks: 0 });
    expect(anew.learned).toBeUndefined();
    expect(anew.trainer).toEqual({ ...learnt.trainer, weights: {}, decisions: 0 });
    expect(candidateOf(anew, shipped)).toMatchObject({ version: 'base-0', tenant: {} });
    // Versions are not named twice.
    expect(learnFrom(anew, shipped, bootstrapDecisions(0.3)).data.version).toBe('learned-3');
  });

  it('[C7] what was learned is compared once it comes from many decisions, although the base was not decided on', () => {
    const steps = Array.from({ length: 30 }, () => 'learn' as const);
    const { histories } = play(steps);
    const versions = histories.map((history) => candidateOf(history, shipped).version);
    expect(versions[1]).toBe('base-0');
    expect(versions.at(-1)).toBe('learned-30');
    // Also after a look that did not decide on it.
    const looked = play([...steps, 'look-again']).histories.at(-1)!;
    expect(looked.looks).toBe(1);
    expect(candidateOf(looked, shipped).version).toBe('learned-30');
    // A base that had a look itself is compared until its third look.
    const based = play(['learn', 'look-again', ...steps]).histories.at(-1)!;
    expect(candidateOf(based, shipped).version).toBe('base-0');
  });

  it('[C3] the same decisions make the same step to the bit, in any order', () => {
    fc.assert(
      fc.property(batchOf(leastDecisions, 30), (decisions) => {
        const step = learnFrom(emptyHistory, shipped, decisions);
        expect(learnFrom(emptyHistory, shipped, [...decisions].reverse())).toEqual(step);
        expect(step.data.consumed.map(({ searchId }) => searchId)).toEqual(
          decisions.map(({ searchId }) => searchId).sort(),
        );
      }),
      { numRuns: 30 },
    );
  });
});

describe('the global base', () => {
  it('[C4] moves a policy that has learned nothing yet by what all tenants taught it, shrunk by how much that is', () => {
    const { histories } = play(['learn', 'learn', 'learn']);
    const { version, weights } = baseOf(histories.at(-1)!);
    const { learned, trainer } = histories.at(-1)!;
    expect(version).toBe('learned-3');
    for (const { features } of typicalQuestions) {
      const asked = { ...features, threshold: 0.3 };
      const fresh = { version: 'fresh', base: weights, tenant: {}, decisions: 0 };
      const [, expected] = logitsOf({ ...learned!, decisions: trainer.decisions }, asked, arms);
      expect(logitsOf(fresh, asked, arms)[1]).toBeCloseTo(expected!, 9);
    }
    expect(baseOf(emptyHistory)).toEqual(shipped);
  });
});

describe('a cold start', () => {
  it('[C6] learns from synthetic decisions, which are marked and never evidence, what fits complex questions', () => {
    const decisions = bootstrapDecisions(1.01);
    expect(decisions.length).toBeGreaterThanOrEqual(leastDecisions);
    expect(decisions.every((decision) => decision.bootstrap && isTrainable(decision))).toBe(true);
    expect(decisions.some(isEvidence)).toBe(false);
    const step = learnFrom(emptyHistory, shipped, decisions);
    expect(step.data.bootstrap).toBe(true);
    const { learned } = evolve(emptyHistory, recorded(step, emptyHistory));
    const complex = {
      ...typicalQuestions.find(({ features }) => features['score']! > 0.4)!.features,
      threshold: 1.01,
    };
    expect(logitsOf(learned!, complex, arms)[1]).toBeGreaterThan(logitsOf(rulePolicy, complex, arms)[1]!);
  });
});
