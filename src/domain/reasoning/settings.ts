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
    enabled: z.boolean().meta({ description: 'Off: the plan of a complex question is searched as it is' }),
    strategy: z
      .enum(['auto', ...strategies])
      .meta({ description: 'How widely is looked; auto: as the question asks' }),
    timeoutMs: z
      .int()
      .min(1)
      .max(30_000)
      .meta({ description: 'Milliseconds for all the reasoning about a question' }),
    cacheSeconds: z
      .int()
      .min(0)
      .max(30 * 24 * 3_600)
      .meta({ description: 'How long what a model proposed is used again; 0: never' }),
    cacheEntries: z
      .int()
      .min(0)
      .max(1_000_000)
      .meta({ description: 'Of so many questions, those asked last' }),
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
