import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';

/** Why a language model gave no answer that can be used. */
export const modelFailures = [
  'timed-out',
  'unavailable',
  'rate-limited',
  'refused',
  'invalid-answer',
  'misconfigured',
] as const;
export type ModelFailure = (typeof modelFailures)[number];

/** Which of the configured models answers: the one for whole questions, or the one for their parts. */
export const modelRoles = ['root', 'sub'] as const;
export type ModelRole = (typeof modelRoles)[number];

export const modelCallOutcomes = ['answered', ...modelFailures] as const;
export type ModelCallOutcome = (typeof modelCallOutcomes)[number];

const count = z.int().nonnegative();

/**
 * A language model was asked, and this is what it took: what a tenant spends is the sum of these. Nothing of what was
 * asked or answered is part of it.
 */
export const LanguageModelCalled = defineEvent({
  type: 'LanguageModelCalled',
  category: 'retrieval',
  version: 1,
  routing: z.object({
    /** The search that it was asked for. */
    searchId: z.string().optional(),
    /** Such as `plan`. */
    purpose: z.string(),
    role: z.enum(modelRoles),
    /** Its name at the endpoint. */
    model: z.string(),
    outcome: z.enum(modelCallOutcomes),
    /** Repetitions included. */
    requests: count,
    inputTokens: count,
    outputTokens: count,
    durationMs: z.number(),
  }),
  sealed: z.object({}),
});

export type ModelCalled = EventOf<typeof LanguageModelCalled>;
