import { z } from 'zod';
import { fallbacks } from '../grounding/fallback.ts';
import { defineEvent, type EventOf } from '../events/define.ts';
import { jsonObject } from '../json.ts';
import { layerSchema, scopeSchema } from '../layers.ts';
import { experienceSettingsSchema } from './settings.ts';
import { allOutcomes, successFactorsSchema, traceOrigins } from './trace.ts';

/** How a search with experience chose its parameters; numbers and names only. */
const experience = z.object({
  /** The kind of question. */
  bucket: z.string(),
  arm: z.string(),
  /** False in the sessions that are the comparison. */
  applied: z.boolean(),
  /** The arm was drawn to learn from it. */
  explored: z.boolean(),
});

/**
 * An attempt at a question or task. Its texts have their own data key, which is destroyed when a memory that the attempt used is erased.
 */
export const ReasoningTraceRecorded = defineEvent({
  type: 'ReasoningTraceRecorded',
  category: 'trace',
  version: 1,
  routing: z.object({
    traceId: z.string(),
    layer: layerSchema,
    scope: z.object(scopeSchema.shape),
    outcome: z.enum(allOutcomes),
    origin: z.enum(traceOrigins),
    /** The memories that the attempt worked with. */
    memoryIds: z.array(z.string()),
    /** Those of them that helped. */
    helpfulIds: z.array(z.string()).optional(),
    executionTimeMs: z.number().optional(),
    model: z.string().optional(),
    space: z.string().optional(),
    /** The search that made the trace. */
    searchId: z.string().optional(),
    /** Only of the trace of a search. */
    experience: experience.optional(),
    /** The most similar earlier trace of the same scope, and the similarity. */
    similarTo: z.object({ traceId: z.string(), similarity: z.number() }).optional(),
  }),
  sealed: z.object({
    query: z.string(),
    approach: z.string(),
    strategy: jsonObject.optional(),
    failureReason: z.string().optional(),
    successFactors: successFactorsSchema.optional(),
    sessionId: z.string().optional(),
  }),
});

/**
 * What became of a search with experience; a later outcome replaces the one before. `pending`: what was said of it was withdrawn.
 */
export const ReasoningTraceResolved = defineEvent({
  type: 'ReasoningTraceResolved',
  category: 'trace',
  version: 2,
  routing: z.object({
    traceId: z.string(),
    outcome: z.enum(allOutcomes),
    /** The outcome until now. */
    before: z.enum(allOutcomes),
    /** Those of its memories that were used. */
    helpfulIds: z.array(z.string()),
    experience,
    /** Day of the search, in UTC. */
    day: z.iso.date(),
  }),
  sealed: z.object({}),
  // Version 2 added the outcome `pending`.
  upcasters: { 1: (data) => data },
});

/** The key of the trace was destroyed, because a memory that the attempt used was erased. */
export const ReasoningTraceErased = defineEvent({
  type: 'ReasoningTraceErased',
  category: 'trace',
  version: 1,
  routing: z.object({ traceId: z.string(), keyId: z.string(), memoryId: z.string() }),
  sealed: z.object({}),
});

export type TraceEvent =
  | EventOf<typeof ReasoningTraceRecorded>
  | EventOf<typeof ReasoningTraceResolved>
  | EventOf<typeof ReasoningTraceErased>;

export type RecordedTrace = EventOf<typeof ReasoningTraceRecorded>['data'];

const lessonFields = {
  routing: z.object({
    lessonId: z.string(),
    layer: layerSchema,
    scope: z.object(scopeSchema.shape),
    /** The traces that the lesson is drawn from, all of this scope. */
    traceIds: z.array(z.string()),
    support: z.int(),
    failures: z.int(),
    /** `rules-2`, an earlier version of the rules, or the name of a language model. */
    model: z.string(),
    /** Why the rules wrote it although a language model is configured. */
    fallback: z.enum(fallbacks).optional(),
    /** The traces that the marks in its texts name; the first is `[1]`. Lessons by rules have no marks. */
    cited: z.array(z.string()).optional(),
  }),
  sealed: z.object({ title: z.string(), description: z.string(), content: z.string() }),
};

/** A lesson was drawn from attempts at similar questions. Each version of a lesson has its own data key. */
export const LessonLearned = defineEvent({
  type: 'LessonLearned',
  category: 'strategy',
  version: 1,
  ...lessonFields,
});

/** Further attempts changed the lesson. The key of the previous version is destroyed. */
export const LessonRevised = defineEvent({
  type: 'LessonRevised',
  category: 'strategy',
  version: 1,
  ...lessonFields,
});

/** `merged`: another lesson took over its attempts. `erased`: its other attempts are too few, or teach nothing. */
const forgottenReasons = ['merged', 'erased'] as const;

/** The lesson was withdrawn, and its key is destroyed. */
export const LessonForgotten = defineEvent({
  type: 'LessonForgotten',
  category: 'strategy',
  version: 1,
  routing: z.object({ lessonId: z.string(), keyId: z.string(), reason: z.enum(forgottenReasons) }),
  sealed: z.object({}),
});

export type LessonEvent =
  EventOf<typeof LessonLearned> | EventOf<typeof LessonRevised> | EventOf<typeof LessonForgotten>;

export type LearnedLesson = EventOf<typeof LessonLearned>['data'];

/** The settings of searches with experience from now on. */
export const ExperienceConfigured = defineEvent({
  type: 'ExperienceConfigured',
  category: 'policy',
  version: 1,
  routing: z.object({ settings: z.object(experienceSettingsSchema.shape) }),
  sealed: z.object({}),
});

export type ExperiencePolicyEvent = EventOf<typeof ExperienceConfigured>;
