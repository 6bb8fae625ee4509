import { z } from 'zod';
import { layerSchema } from '../layers.ts';
import { strategyReasons } from './reasoning.ts';
import { strategies } from './settings.ts';

const reasoningSources = ['rules', 'model', 'cache'] as const;
export type ReasoningSource = (typeof reasoningSources)[number];

/** After any outcome but `complete`, the rules decide and the search texts are not refined. */
const reasoningOutcomes = ['complete', 'timed-out', 'failed', 'breaker-open'] as const;
export type ReasoningOutcome = (typeof reasoningOutcomes)[number];

/** How the search of one question was decided. This part stays readable; `ReasoningWords` holds the texts. */
export const reasoningTraceSchema = z.object({
  /** Number of the step whose subquestion it is about; absent for the whole question. */
  step: z.int().positive().optional(),
  depth: z.int().nonnegative(),
  strategy: z.enum(strategies),
  reason: z.enum(strategyReasons),
  layers: z.array(layerSchema).optional(),
  /** Where the decision came from; `cache`: an earlier proposal of the model. */
  source: z.enum(reasoningSources),
  outcome: z.enum(reasoningOutcomes),
  /** Kind of the model's failure, as defined by the port. */
  failure: z.string().optional(),
  model: z.string().optional(),
  inputTokens: z.int().nonnegative().optional(),
  outputTokens: z.int().nonnegative().optional(),
  at: z.iso.datetime(),
  durationMs: z.number(),
});

/** The texts of a reasoning. */
export const reasoningWordsSchema = z.object({
  /** The model's reason for its strategy. */
  why: z.string().optional(),
  /** Each operand's query and the texts that replaced it. Without `lexical`, words were not searched. */
  searches: z.array(z.object({ query: z.string(), dense: z.string(), lexical: z.string().optional() })),
});

export type ReasoningTrace = z.infer<typeof reasoningTraceSchema>;
export type ReasoningWords = z.infer<typeof reasoningWordsSchema>;
