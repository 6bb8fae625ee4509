import { z } from 'zod';

export const periods = ['day', 'month'] as const;

/** What a tenant may spend on language models and remote embedding models in a UTC period. Without a limit, costs are only counted. */
export const budgetSchema = z.strictObject({
  period: z.enum(periods).meta({ description: 'A day or a month of UTC' }),
  tokens: z
    .int()
    .min(0)
    .max(1_000_000_000_000)
    .optional()
    .meta({ description: 'Tokens that may be used in a period, input and output; absent: no limit' }),
  usd: z
    .number()
    .min(0)
    .max(1_000_000)
    .optional()
    .meta({ description: 'US dollars that may be spent in a period; absent: no limit' }),
});

export type Budget = z.infer<typeof budgetSchema>;

export const unlimited: Budget = { period: 'month' };

/** Tokens and US dollars; dollars have nine decimals. */
export interface Amount {
  readonly tokens: number;
  readonly usd: number;
}

export const nothingSpent: Amount = { tokens: 0, usd: 0 };

/** Sums of dollars are rounded to nine decimals each time, so that their order does not matter. */
export const plus = (left: Amount, right: Amount): Amount => ({
  tokens: left.tokens + right.tokens,
  usd: roundUsd(left.usd + right.usd),
});

export const roundUsd = (usd: number): number => Math.round(usd * 1e9) / 1e9;

/** Whether `used` is within the limits of the budget. */
export function fits({ tokens, usd }: Budget, used: Amount): boolean {
  return (tokens === undefined || used.tokens <= tokens) && (usd === undefined || used.usd <= usd);
}
