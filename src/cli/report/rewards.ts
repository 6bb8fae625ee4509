import type { PolicyVersion } from '../../../packages/client/src/index.ts';
import { periodOf, periodsOf, type PeriodUnit } from './periods.ts';

export type RewardDays = NonNullable<PolicyVersion['observed']>['days'];

export interface PeriodReward {
  readonly name: string;
  /** Mean, −1 to 1; absent if no question has a known outcome. */
  readonly reward: number | undefined;
}

/** The mean reward of days, each weighed by its decisions. */
export function meanOf(days: RewardDays): number {
  const decisions = days.reduce((sum, day) => sum + day.decisions, 0);
  return days.reduce((sum, day) => sum + day.decisions * day.reward, 0) / Math.max(1, decisions);
}

/** The rewards of all versions on the days of a range, which are known by day at the finest. */
export function rewardsIn(
  items: readonly PolicyVersion[],
  { from, to }: { readonly from: string; readonly to: string },
  { unit: asked }: { readonly unit: PeriodUnit },
): { readonly periods: readonly PeriodReward[]; readonly decisions: number } {
  const unit = asked === 'hour' ? 'day' : asked;
  const days = items
    .flatMap(({ observed }) => observed?.days ?? [])
    .filter(({ day }) => day >= from.slice(0, 10) && `${day}T00:00:00.000Z` < to);
  const periods = periodsOf({ from: new Date(from), to: new Date(to) }, unit).map((name) => {
    const inPeriod = days.filter(({ day }) => periodOf(day, unit) === name);
    return { name, reward: inPeriod.length === 0 ? undefined : meanOf(inPeriod) };
  });
  return { periods, decisions: days.reduce((sum, day) => sum + day.decisions, 0) };
}
