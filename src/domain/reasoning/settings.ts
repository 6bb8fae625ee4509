import { z } from 'zod';

/**
 * How widely subqueries search. `targeted`: within what the question names, and in other memories only if nothing is found
 * there. `exhaustive`: also outside of it, with every weaker filter and in many more places. `semantic-only`: like `targeted`,
 * but by meaning alone.
 */
export const strategies = ['targeted', 'exhaustive', 'semantic-only'] as const;
export type Strategy = (typeof strategies)[number];

export const reasoningSettingsSchema = z
  .strictObject({
    enabled: z.boolean().meta({
      description:
        'Whether the search texts and the strategy of a complex question are refined before it is searched; if false, its plan is searched unchanged. Default: true',
    }),
    strategy: z.enum(['auto', ...strategies]).meta({
      description:
        'How widely to search for the parts of a question. `targeted`: where the question points, and elsewhere only if nothing is found there. `exhaustive`: also everywhere else. `semantic-only`: like `targeted`, but by meaning alone. `auto` (default): chosen for each question',
    }),
    timeoutMs: z.int().min(1).max(30_000).meta({
      description: 'Maximum time for all reasoning about one question, in milliseconds. Default: 3,000',
    }),
    cacheSeconds: z
      .int()
      .min(0)
      .max(30 * 24 * 3_600)
      .meta({
        description:
          'Time for which a proposal of the language model is reused, in seconds; 0 turns the cache off. Default: 3,600',
      }),
    cacheEntries: z.int().min(0).max(1_000_000).meta({
      description:
        'Maximum number of proposals in the cache; the least recently used are dropped first, and 0 turns the cache off. Default: 10,000',
    }),
  })
  .meta({ id: 'ReasoningSettings' });

export type ReasoningSettings = z.infer<typeof reasoningSettingsSchema>;

export const defaultReasoning: ReasoningSettings = {
  enabled: true,
  strategy: 'auto',
  timeoutMs: 3_000,
  cacheSeconds: 3_600,
  cacheEntries: 10_000,
};
