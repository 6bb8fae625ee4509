import { describe, expect, it } from 'vitest';
import { compareVersion } from '../../src/domain/learning/compare-version.ts';
import { figuresOf, promoteToAll, rollBack } from '../../src/domain/learning/policy-decider.ts';
import { shipped } from '../../src/domain/learning/global-base.ts';
import type { Arm, LoggedDecision } from '../../src/domain/learning/logged-decision.ts';
import type { RoutePolicyEvent } from '../../src/domain/learning/policy-events.ts';
import {
  candidateOf,
  emptyHistory,
  evolve,
  type PolicyHistory,
} from '../../src/domain/learning/policy-history.ts';
import { rulePolicy } from '../../src/domain/learning/route-policy.ts';
import { arms } from '../support/logged-decisions.ts';

/** Decides as the rule with the default threshold does, whatever the threshold in force is. */
const base = { version: 'base-0', base: shipped.weights, tenant: {}, decisions: 0 };
const learned = { ...base, version: 'learned-1', tenant: { decomposition: { bias: 0.5 } }, decisions: 20 };

function after(events: readonly RoutePolicyEvent[], from: PolicyHistory = emptyHistory): PolicyHistory {
  return events.reduce((history, event) => {
    const revision = history.revision + 1;
    return evolve(history, { event, revision, position: 10 * revision, time: new Date(0) });
  }, from);
}

const forced = (history: PolicyHistory, policy = base): PolicyHistory =>
  after(promoteToAll(history, policy, { by: 'operator', forced: true }), history);

/** Decisions about complex questions under threshold 1, where the rule takes the standard route and the base decomposes. */
function decided(count: number, isUsed: (taken: Arm) => boolean): LoggedDecision[] {
  return Array.from({ length: count }, (_, n) => {
    const taken = arms[n % 2]!;
    return {
      searchId: `s-${String(n).padStart(4, '0')}`,
      principal: 'agent',
      features: { score: 0.5, threshold: 1, layers: 0, aggregation: 1, comparison: 0, structure: 0 },
      arms,
      propensities: [0.5, 0.5],
      incumbent: 'standard',
      taken,
      policyVersion: 'rules-1',
      evaluation: n % 4 < 2,
      outcome: { kind: isUsed(taken) ? 'used' : 'ignored', explicit: true },
      tokens: 20,
      bootstrap: false,
    };
  });
}

const compared = (policy: typeof base, history: PolicyHistory, decisions: readonly LoggedDecision[]) => {
  const { comparedWith, evaluation, ...rest } = compareVersion(policy, history, shipped, decisions);
  return { with: comparedWith.version, gain: evaluation.doublyRobust.value, evaluation, ...rest };
};

describe('a version', () => {
  it('[C7] is compared with the one in force, and proven by a look', () => {
    const decisions = decided(120, (taken) => taken === 'decomposition');
    const shown = compared(base, emptyHistory, decisions);
    expect(shown).toMatchObject({ with: 'rules-1', verdict: 'promote', needed: 50 });
    expect(shown.gain).toBeGreaterThan(0.5);
    // A learned version is judged by the sessions that are kept for evaluation.
    expect(compared(learned, emptyHistory, decisions)).toMatchObject({
      evaluation: { decisions: 60 },
      reason: '30 of 50 matched deviations',
    });
  });

  it('[C7] that was promoted without proof is compared with the one before it, and not with itself', () => {
    const history = forced(emptyHistory);
    expect(candidateOf(history, shipped).version).toBe('base-0');
    expect(
      compared(
        base,
        history,
        decided(20, (taken) => taken === 'decomposition'),
      ),
    ).toMatchObject({
      with: 'rules-1',
      verdict: 'keep-collecting',
      reason: 'in force, with 10 of 20 matched and as many opposed deviations',
      needed: 20,
    });
    const better = compared(
      base,
      history,
      decided(100, (taken) => taken === 'decomposition'),
    );
    expect(better).toMatchObject({ verdict: 'keep-collecting', evaluation: { matched: 50, opposed: 50 } });
    expect(better.reason).toBe('in force, and not worse than its predecessor as far as is known');
    expect(better.gain).toBeGreaterThan(0.5);
    const worse = compared(
      base,
      history,
      decided(100, (taken) => taken === 'standard'),
    );
    expect(worse).toMatchObject({ verdict: 'reject', reason: 'worse than its predecessor' });
    expect(worse.gain).toBeLessThan(-0.5);
  });

  it('[C7] that replaced another learned one is compared with that', () => {
    const history = forced(forced(emptyHistory), learned);
    expect(compared(learned, history, [])).toMatchObject({ with: 'base-0' });
    expect(compared(base, history, [])).toMatchObject({ with: 'learned-1', needed: 50 });
    const back = after([rollBack(history, 'learned-1', { by: 'operator', reason: 'operator' })!], history);
    expect(compared(base, back, [])).toMatchObject({ with: 'rules-1', needed: 20 });
  });

  it('[C7] is compared with the candidate if it is the rule, and nothing was before it', () => {
    const decisions = decided(100, (taken) => taken === 'decomposition');
    const shown = compared(rulePolicy, emptyHistory, decisions);
    expect(shown).toMatchObject({ with: 'base-0', verdict: 'keep-collecting' });
    expect(shown.reason).toContain('base-0');
    expect(shown.gain).toBeCloseTo(-compared(base, emptyHistory, decisions).gain, 9);
  });

  it('[C7] is listed with the version that its figures are about', () => {
    const figures = figuresOf(
      compareVersion(
        base,
        emptyHistory,
        shipped,
        decided(120, () => true),
      ).evaluation,
    );
    const comparedWithOf = ({ versions }: PolicyHistory, version: string) =>
      versions.find(({ policy }) => policy.version === version)!.comparedWith;
    const known = forced(emptyHistory);
    expect(comparedWithOf(known, 'base-0')).toBeUndefined();
    const rolledBack = rollBack(known, 'base-0', { by: 'process', reason: 'worse', figures })!;
    expect(comparedWithOf(after([rolledBack], known), 'base-0')).toBe('rules-1');
    const proven = promoteToAll(known, learned, { by: 'process', forced: false, figures });
    expect(comparedWithOf(after(proven, known), 'learned-1')).toBe('base-0');
    const data = {
      version: 'base-0',
      incumbent: 'learned-1',
      verdict: 'reject',
      reason: '',
      looks: 1,
      figures,
    } as const;
    const rejected = after([...proven, { type: 'PolicyCompared', data }], known);
    expect(comparedWithOf(rejected, 'base-0')).toBe('learned-1');
  });
});
