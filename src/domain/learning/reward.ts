import { z } from 'zod';
import type { Outcome } from './logged-decision.ts';

/** How an outcome and the tokens spent become one number (requirement C2). */
export const rewardSettingsSchema = z
  .strictObject({
    success: z.number().min(0).max(10).meta({ description: 'Weight of success. Default: 1' }),
    efficiency: z
      .number()
      .min(0)
      .max(10)
      .meta({ description: 'Weight of the share of the token scale that was not spent. Default: 0.3' }),
    tokenScale: z.int().min(1).max(100_000_000).meta({
      description: 'Number of tokens at which nothing is left of the reward for efficiency. Default: 100,000',
    }),
    refined: z.number().min(-1).max(1).meta({
      description: 'Success of a search after which the session asked again, −1 to 1. Default: 0.3',
    }),
    ignored: z.number().min(-1).max(1).meta({
      description: 'Success of a search whose results were not used, −1 to 1. Default: −0.5',
    }),
  })
  .meta({ id: 'RewardSettings' });

export type RewardSettings = z.infer<typeof rewardSettingsSchema>;

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
 * ignored, and 0 without a signal. A clamp at 1 means that efficiency tells failures apart, not full successes: with the default
 * scale 156 tokens more cost 0.0005. Outcomes are stored as observed, so rewards with other settings can be computed from the log.
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
