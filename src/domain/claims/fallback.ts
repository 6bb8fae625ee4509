/**
 * Why a text is made by rules although a language model is configured. `interrupted`: the process ended in the middle of an earlier
 * attempt, which was paid for.
 */
export const fallbacks = ['budget-exhausted', 'model-failed', 'claims-unsupported', 'interrupted'] as const;
export type Fallback = (typeof fallbacks)[number];
