import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';

/** Why a language model gave no usable answer. */
const modelFailures = [
  'timed-out',
  'unavailable',
  'rate-limited',
  'refused',
  'invalid-answer',
  'misconfigured',
] as const;
export type ModelFailure = (typeof modelFailures)[number];

/** The configured model for whole questions, or the one for their parts. */
const modelRoles = ['root', 'sub'] as const;
export type ModelRole = (typeof modelRoles)[number];

const modelCallOutcomes = ['answered', ...modelFailures] as const;
export type ModelCallOutcome = (typeof modelCallOutcomes)[number];

const count = z.int().nonnegative();

/** The cost of one call of a language model; a tenant's spending is the sum. It contains nothing of the prompt or the answer. */
export const LanguageModelCalled = defineEvent({
  type: 'LanguageModelCalled',
  category: 'retrieval',
  version: 1,
  routing: z.object({
    /** The search that the call was made for. */
    searchId: z.string().optional(),
    /** Such as `plan`. */
    purpose: z.string(),
    role: z.enum(modelRoles),
    /** Name of the model at the endpoint. */
    model: z.string(),
    outcome: z.enum(modelCallOutcomes),
    /** Including retries. */
    requests: count,
    inputTokens: count,
    outputTokens: count,
    durationMs: z.number(),
  }),
  sealed: z.object({}),
});

export type ModelCalled = EventOf<typeof LanguageModelCalled>;
