import { z } from 'zod';
import { layerSchema } from '../layers.ts';
import { strategyReasons } from './reasoning.ts';
import { strategies } from './settings.ts';

export const reasoningSources = ['rules', 'model', 'cache'] as const;
export type ReasoningSource = (typeof reasoningSources)[number];

/** `complete` alone is what was meant; after anything else the rules decide, and what is searched is not refined. */
export const reasoningOutcomes = ['complete', 'timed-out', 'failed', 'breaker-open'] as const;
export type ReasoningOutcome = (typeof reasoningOutcomes)[number];

/** How it was decided what to look for, of one question: what stays readable of it. */
export const reasoningTraceSchema = z.object({
  /** The step whose question it is about, one level deeper; none for the whole question. */
  step: z.int().positive().optional(),
  depth: z.int().nonnegative(),
  strategy: z.enum(strategies),
  reason: z.enum(strategyReasons),
  layers: z.array(layerSchema).optional(),
  /** Who was asked: `cache` for what a model proposed before. */
  source: z.enum(reasoningSources),
  outcome: z.enum(reasoningOutcomes),
  /** Of a model that failed: as the port tells failures apart. */
  failure: z.string().optional(),
  model: z.string().optional(),
  inputTokens: z.int().nonnegative().optional(),
  outputTokens: z.int().nonnegative().optional(),
  at: z.iso.datetime(),
  durationMs: z.number(),
});

/** What it came to in words. */
export const reasoningWordsSchema = z.object({
  /** By the model: what it chose the strategy for. */
  why: z.string().optional(),
  /** Of each operand: its query, and what was looked for instead. Without `lexical` no words were. */
  searches: z.array(z.object({ query: z.string(), dense: z.string(), lexical: z.string().optional() })),
});

export type ReasoningTrace = z.infer<typeof reasoningTraceSchema>;
export type ReasoningWords = z.infer<typeof reasoningWordsSchema>;
