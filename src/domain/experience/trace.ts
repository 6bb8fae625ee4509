import { z } from 'zod';
import { requiredList } from '../input/issue-words.ts';
import { isBlank, text, textError, jsonObject, type JsonObject } from '../json.ts';
import { parameterIssues } from './parameters.ts';

/** How an attempt ended, as callers report it; from good to bad. */
export const traceOutcomes = ['success', 'partial_success', 'failure'] as const;
/** `pending`: the outcome of a search that is not known yet. */
export const allOutcomes = [...traceOutcomes, 'pending'] as const;
export type TraceOutcome = (typeof allOutcomes)[number];

/** How much of a success an outcome counts as. */
export const successShares: Readonly<Record<TraceOutcome, number>> = {
  success: 1,
  partial_success: 0.5,
  failure: 0,
  pending: 0,
};

/** What recorded a trace: a caller, or a search with experience. */
export const traceOrigins = ['caller', 'search'] as const;
export type TraceOrigin = (typeof traceOrigins)[number];

/** Maximum number of memories in one trace. */
export const mostTraceMemories = 100;
const longestText = 4_000;
const mostJsonCharacters = 10_000;
const mostFactors = 50;

/** The question or task of an attempt. */
const questionSchema = z
  .string()
  .max(20_000)
  .superRefine((query, context) => {
    const fault = isBlank(query) ? 'must not be empty or only white space' : textError(query);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  });

const words = text(longestText).refine(
  (value) => !isBlank(value),
  'must not be empty or only white space: leave it out, or say it in a few words',
);

const parameters = jsonObject.refine(
  (value) => JSON.stringify(value ?? null).length <= mostJsonCharacters,
  `has more than ${mostJsonCharacters} characters of JSON: keep what another attempt could repeat`,
);

/** Why an attempt succeeded: a list of reasons, or an object with named ones. */
export const successFactorsSchema = z.union([z.array(words).max(mostFactors), parameters]);

/** What a caller reports about an attempt, without its scope. */
export const attemptFields = {
  query: questionSchema.meta({ description: 'The question or task' }),
  approach: words.meta({ description: 'What was done, in a few words' }),
  strategy: parameters
    .superRefine((strategy, context) => {
      for (const { path, message } of parameterIssues(strategy))
        context.addIssue({ code: 'custom', path, message });
    })
    .optional()
    .meta({
      description:
        'Parameters that another attempt could repeat. Of a search: `mode`, `topK`, `threshold`, `order`, `spaces`, `strategy`, with values that a search takes; other names are free',
    }),
  outcome: z.enum(traceOutcomes),
  failureReason: words.optional(),
  successFactors: successFactorsSchema.optional(),
  memoriesUsed: z
    .array(text(100).min(1), { error: requiredList('if it worked without memories') })
    .max(mostTraceMemories)
    .meta({ description: 'Ids of the memories that the attempt worked with' }),
  memoriesHelpful: z
    .array(text(100).min(1))
    .max(mostTraceMemories)
    .optional()
    .meta({ description: 'Those of `memoriesUsed` that helped' }),
  executionTimeMs: z.number().min(0).max(1e12).optional(),
  model: text(256).min(1).optional().meta({ description: 'Language model that made the attempt' }),
};

/** The texts of a trace, which are sealed with its own key. */
export interface TraceTexts {
  readonly query: string;
  readonly approach: string;
  readonly strategy?: JsonObject | undefined;
  readonly failureReason?: string | undefined;
  readonly successFactors?: readonly string[] | JsonObject | undefined;
}
