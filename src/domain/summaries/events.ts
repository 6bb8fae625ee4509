import { z } from 'zod';
import { fallbacks } from '../grounding/fallback.ts';
import { defineEvent, type EventOf } from '../events/define.ts';
import { layerSchema, scopeSchema } from '../layers.ts';
import { depthSchema } from './depths.ts';
import { summarySettingsSchema } from './settings.ts';
import { personSchema } from './summary-scope.ts';

/** Why a summary was generated: a caller asked for it, a context needed it, or something had changed. */
export const summaryTriggers = ['refresh', 'context', 'changes', 'interval', 'invalidated'] as const;
export type SummaryTrigger = (typeof summaryTriggers)[number];

/** Why a summary no longer says what its sources say. */
const invalidations = ['erased', 'deleted', 'replaced'] as const;
export type Invalidation = (typeof invalidations)[number];

const scope = z.object(scopeSchema.shape);

/** A caller asked for new summaries of a scope, or the program did because a context needed them. */
export const SummaryRequested = defineEvent({
  type: 'SummaryRequested',
  category: 'summary',
  version: 1,
  routing: z.object({
    layer: layerSchema,
    scope,
    /** Of a variant for one user. */
    person: personSchema.optional(),
    depths: z.array(depthSchema),
  }),
  sealed: z.object({}),
});

/**
 * The summaries of a scope, in place of those before. The texts have a data key of their own, which is destroyed when one of the
 * memories that they quote is erased.
 */
export const SummaryGenerated = defineEvent({
  type: 'SummaryGenerated',
  category: 'summary',
  version: 1,
  routing: z.object({
    layer: layerSchema,
    scope,
    /** Of a variant for one user: the summaries for everybody, and those for others, stay. */
    person: personSchema.optional(),
    /** What a variant was weighted by: how many memories of the scope the user judged, and how many name the user. */
    weighedBy: z.object({ judged: z.int(), own: z.int() }).optional(),
    trigger: z.enum(summaryTriggers),
    /** `extractive-1`, or the name of a language model. */
    model: z.string(),
    fallback: z.enum(fallbacks).optional(),
    tokenizer: z.string(),
    /** Hash of everything that the scope holds: a summary whose hash differs from that of its scope is stale. */
    sourceHash: z.string(),
    /** Number of memories that could be quoted. */
    memories: z.int(),
    /** Position that the read models had reached. */
    readPosition: z.int(),
    /** Whether a memory that is quoted, or was shown to a language model, names a user. */
    namesUsers: z.boolean(),
    /** The memories that a language model was shown. Each of them may have left something in the texts. */
    shown: z.array(z.string()).optional(),
    summaries: z.array(
      z.object({
        depth: depthSchema,
        tokenCount: z.int(),
        /** The memories that are quoted; the first is `[1]`. */
        sources: z.array(z.object({ id: z.string(), revision: z.int() })),
      }),
    ),
    durationMs: z.number(),
  }),
  /** In the order of `summaries`. */
  sealed: z.object({ texts: z.array(z.string()) }),
});

/**
 * A memory that the latest summaries quote has changed. If it was erased, the texts of these summaries, and of all earlier ones that
 * quote it, are gone.
 */
export const SummaryInvalidated = defineEvent({
  type: 'SummaryInvalidated',
  category: 'summary',
  version: 1,
  routing: z.object({ layer: layerSchema, scope, reason: z.enum(invalidations), memoryId: z.string() }),
  sealed: z.object({}),
});

/** The settings of the summaries of one layer from now on: all of them, not only those that changed. */
export const SummaryConfigured = defineEvent({
  type: 'SummaryConfigured',
  category: 'policy',
  version: 1,
  routing: z.object({ layer: layerSchema, settings: z.object(summarySettingsSchema.shape) }),
  sealed: z.object({}),
});

export type SummaryPolicyEvent = EventOf<typeof SummaryConfigured>;

export type SummaryEvent =
  EventOf<typeof SummaryRequested> | EventOf<typeof SummaryGenerated> | EventOf<typeof SummaryInvalidated>;
