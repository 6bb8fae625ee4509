import { groupBy } from '../group-by.ts';
import type { Arm, LoggedDecision } from './logged-decision.ts';
import { rewardOf } from './reward.ts';

/** What a version's decisions came to, as far as their outcomes are known. */
export interface ObservedFigures {
  readonly decisions: number;
  readonly days: readonly { readonly day: string; readonly decisions: number; readonly reward: number }[];
  readonly arms: readonly {
    readonly arm: Arm;
    readonly decisions: number;
    /** Mean probability with which the arm was chosen, over all decisions. */
    readonly propensity: number;
    /** Mean reward of the decisions that took the arm. */
    readonly reward?: number;
    /** Share of those decisions whose answers were used. */
    readonly success?: number;
  }[];
}

export type DatedDecision = LoggedDecision & { readonly askedAt: Date };

/** Figures of the decisions by the version that was in force. They compare nothing: arms are not taken for the same questions. */
export function observedFigures(decisions: readonly DatedDecision[]): ReadonlyMap<string, ObservedFigures> {
  const byVersion = groupBy(decisions, ({ policyVersion }) => policyVersion);
  return new Map([...byVersion].map(([version, own]) => [version, figuresOf(own)]));
}

function figuresOf(decisions: readonly DatedDecision[]): ObservedFigures {
  const days = [...groupBy(decisions, ({ askedAt }) => askedAt.toISOString().slice(0, 10))].sort(
    ([a], [b]) => (a < b ? -1 : 1),
  );
  const arms = [...new Set(decisions.flatMap((decision) => decision.arms))];
  return {
    decisions: decisions.length,
    days: days.map(([day, own]) => ({ day, decisions: own.length, reward: mean(own.map(reward)) })),
    arms: arms.map((arm) => {
      const taken = decisions.filter((decision) => decision.taken === arm);
      const propensity = mean(
        decisions.map(({ arms: possible, propensities }) => propensities[possible.indexOf(arm)] ?? 0),
      );
      if (taken.length === 0) return { arm, decisions: 0, propensity };
      const success = mean(taken.map(({ outcome }) => (outcome.kind === 'used' ? 1 : 0)));
      return { arm, decisions: taken.length, propensity, reward: mean(taken.map(reward)), success };
    }),
  };
}

const reward = ({ outcome, tokens }: LoggedDecision): number => rewardOf(outcome, tokens);

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
