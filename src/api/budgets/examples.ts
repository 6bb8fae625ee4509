import { position } from '../example-values.ts';

export const budgetExample = { period: 'month', tokens: 5_000_000, usd: 20 };

export const budgetStateExample = {
  ...budgetExample,
  spent: { tokens: 812_300, usd: 1.874_21 },
  reserved: { tokens: 3_000, usd: 0.006 },
  resetsAt: '2026-12-01T00:00:00.000Z',
  exhausted: false,
};

export const budgetConfiguredExample = { ...budgetStateExample, position };
