/**
 * Why rules wrote a text although a language model is configured. `interrupted`: the process ended during an earlier attempt, whose tokens
 * were charged.
 */
export const fallbacks = ['budget-exhausted', 'model-failed', 'claims-unsupported', 'interrupted'] as const;
export type Fallback = (typeof fallbacks)[number];
