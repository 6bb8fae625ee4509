import type { Outcome } from './logged-decision.ts';

/** How an outcome and the tokens spent become one number (requirement C2). */
export interface RewardSettings {
  /** Weight of success. */
  readonly success: number;
  /** Weight of the share of the token scale that was not spent. */
  readonly efficiency: number;
  /** Number of tokens at which nothing is left of the reward for efficiency. */
  readonly tokenScale: number;
  /** Success of a search after which the session asked again, −1 to 1. */
  readonly refined: number;
  /** Success of a search whose results were not used, −1 to 1. */
  readonly ignored: number;
}

export const defaultRewardSettings: RewardSettings = {
  success: 1,
  efficiency: 0.3,
  tokenScale: 100_000,
  refined: 0.3,
  ignored: -0.5,
};

/**
 * The reward of a decision, −1 to 1 (requirement C2):
 * clamp(1.0 · success + 0.3 · (1 − min(tokens / 100,000, 1)), −1, 1).
 *
 * Success is the quality of what was used (1 where the caller gave none), 0.3 after a refinement, −0.5 if the results were
 * ignored, and 0 without a signal. Because of the clamp at 1, efficiency tells failures apart but not full successes; with the
 * default scale 156 more tokens cost 0.0005. Outcomes are stored as observed, so rewards with other settings can be computed from the log.
 */
export function rewardOf(
  outcome: Outcome,
  tokens: number,
  settings: RewardSettings = defaultRewardSettings,
): number {
  const saved = 1 - Math.min(Math.max(tokens, 0) / settings.tokenScale, 1);
  return clamp(settings.success * successOf(outcome, settings) + settings.efficiency * saved, -1, 1);
}

function successOf(outcome: Outcome, settings: RewardSettings): number {
  switch (outcome.kind) {
    case 'used':
      return clamp(outcome.quality ?? 1, 0, 1);
    case 'refined':
      return settings.refined;
    case 'ignored':
      return settings.ignored;
    case 'none':
      return 0;
  }
}

export function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
