import type { Evaluation, Estimate } from './estimators.ts';
import type { LoggedDecision } from './logged-decision.ts';
import type { Figures, PolicyUpdate, RoutePolicyEvent } from './policy-events.ts';
import { policyOf, type Base, type PolicyHistory } from './policy-history.ts';
import type { Decision } from './promotion.ts';
import { rulePolicy, type RoutePolicy } from './route-policy.ts';
import { train } from './trainer.ts';

/** A step of the trainer as an event. Takes and throws what `train` does. */
export function learnFrom(
  { trainer }: PolicyHistory,
  base: Base,
  decisions: readonly LoggedDecision[],
  { prefix = 'learned', tenantOf }: { prefix?: string; tenantOf?: (searchId: string) => string } = {},
): PolicyUpdate {
  const { state, consumed } = train(trainer, base.weights, decisions);
  return {
    type: 'PolicyUpdated',
    data: {
      version: `${prefix}-${state.steps}`,
      base: { version: base.version, weights: base.weights },
      state,
      consumed: consumed.map(({ searchId, reward }) => ({
        searchId,
        reward,
        ...(tenantOf && { tenant: tenantOf(searchId) }),
      })),
      bootstrap: decisions.every(({ bootstrap }) => bootstrap),
    },
  };
}

/** The history after a step that is not in the log yet, so that the next step of the same batch can continue from it. */
export function stepped(
  history: PolicyHistory,
  { data: { version, base, state } }: PolicyUpdate,
): PolicyHistory {
  return { ...history, trainer: state, learned: policyOf(version, base.weights, state) };
}

/** What a look decides, as an event; undefined without a look. */
export function afterLook(
  { incumbent, looks: before }: PolicyHistory,
  policy: RoutePolicy,
  evaluation: Evaluation,
  { verdict, looks, reason }: Decision,
): RoutePolicyEvent | undefined {
  if (looks === before) return undefined;
  const figures = figuresOf(evaluation);
  if (verdict === 'promote')
    return {
      type: 'PolicyPromoted',
      data: { policy, share: 'canary', by: 'process', forced: false, looks, figures },
    };
  const { version } = policy;
  return {
    type: 'PolicyCompared',
    data: { version, incumbent: incumbent.version, verdict, reason, looks, figures },
  };
}

/** Gives a policy all traffic. No event if it has it already. */
export function promoteToAll(
  { incumbent, looks }: PolicyHistory,
  policy: RoutePolicy,
  how: { by: 'process' | 'operator'; forced: boolean; figures?: Figures },
): readonly RoutePolicyEvent[] {
  if (incumbent.version === policy.version) return [];
  return [{ type: 'PolicyPromoted', data: { policy, share: 'all', looks, ...how } }];
}

/** Takes a policy out of traffic; undefined if it has none, or if it is the rule, which has no predecessor. */
export function rollBack(
  { incumbent, canary, earlier }: PolicyHistory,
  version: string,
  how: { by: 'process' | 'operator'; reason: 'worse' | 'operator'; figures?: Figures },
): RoutePolicyEvent | undefined {
  if (canary?.version === version)
    return { type: 'PolicyRolledBack', data: { version, to: incumbent.version, ...how } };
  if (incumbent.version !== version || version === rulePolicy.version) return undefined;
  const to = (earlier.at(-1) ?? rulePolicy).version;
  return { type: 'PolicyRolledBack', data: { version, to, ...how } };
}

/** The evaluation for an event, without its infinite numbers. */
export function figuresOf(evaluation: Evaluation): Figures {
  const { ips, snips, doublyRobust, interval, leastWithoutOne, ...counts } = evaluation;
  return {
    ...counts,
    ips: estimateOf(ips),
    snips: estimateOf(snips),
    doublyRobust: estimateOf(doublyRobust),
    ...(interval.every(Number.isFinite) && { interval: [...interval] as [number, number] }),
    ...(leastWithoutOne !== undefined && { leastWithoutOne }),
  };
}

function estimateOf({ value, error }: Estimate): Figures['ips'] {
  return { value, ...(Number.isFinite(error) && { error }) };
}
