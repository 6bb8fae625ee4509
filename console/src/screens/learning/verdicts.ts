import type { Policies, PolicyFigures, PolicyVersion } from '@stratalog/client';
import { rounded } from '../../ui/rounded.ts';

/** A difference with its interval of 95 %, where there is one. */
export interface Gain {
  readonly value: number;
  readonly low: number | undefined;
  readonly high: number | undefined;
}

export type Verdict = 'better' | 'worse' | 'not proven';

/** What an interval says: better if all of it is above 0, worse if all of it is below. */
export function verdictOf({ low, high }: Pick<Gain, 'low' | 'high'>): Verdict {
  if (low !== undefined && low > 0) return 'better';
  return high !== undefined && high < 0 ? 'worse' : 'not proven';
}

export const verdictTones = { better: 'good', worse: 'danger', 'not proven': undefined } as const;

/** The gain of a version by the doubly robust estimate. */
export const gainOf = ({ doublyRobust, interval }: PolicyFigures): Gain => ({
  value: doublyRobust.value,
  low: interval?.[0],
  high: interval?.[1],
});

const signed = (value: number): string =>
  `${value > 0 ? '+' : value < 0 ? '−' : ''}${rounded(Math.abs(value))}`;

/** Such as `+0.11 (+0.03 to +0.19)`. */
export function gainText({ value, low, high }: Gain, textOf: (value: number) => string = signed): string {
  return low === undefined || high === undefined
    ? textOf(value)
    : `${textOf(value)} (${textOf(low)} to ${textOf(high)})`;
}

/** Percentage points with their sign. */
export const pointsText = (value: number): string => `${signed(Math.round(value * 1_000) / 10)} %`;

/** Rewards by day of all versions that have chosen routes, ready for a chart. Empty if nothing was observed. */
export function rewardsByDay(items: readonly PolicyVersion[]): {
  readonly days: readonly string[];
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
} {
  const observed = items.filter((one) => (one.observed?.days.length ?? 0) > 0);
  const days = [...new Set(observed.flatMap((one) => one.observed!.days.map(({ day }) => day)))].toSorted();
  const series = observed.map((one) => {
    const rewards = new Map(one.observed!.days.map(({ day, reward }) => [day, reward]));
    return { name: one.version, values: days.map((day) => rewards.get(day) ?? null) };
  });
  return { days, series };
}

/** Versions that can be put in force: those in the comparison, and those that a roll-back would return to. */
export const canPromote = ({ version, state }: PolicyVersion, { inForce }: Policies): boolean =>
  version !== inForce && ['canary', 'candidate', 'learning', 'earlier'].includes(state);

/** The version of which a roll-back takes the traffic; undefined where no other one could choose. */
export function versionToRollBack({ canary, inForce, items }: Policies): string | undefined {
  if (canary !== undefined) return canary;
  return items.some(({ state }) => state === 'earlier') ? inForce : undefined;
}
