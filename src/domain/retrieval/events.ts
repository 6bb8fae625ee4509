import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';
import { filterObject } from '../filter.ts';
import { jsonObject } from '../json.ts';
import { layerSchema, scopeSchema } from '../layers.ts';
import { routeReasons, routes } from '../routing/settings.ts';
import { depthSchema } from '../summaries/depths.ts';
import { routeChoiceSchema } from './route-choice.ts';
import { spaceChoiceSchema } from './space-choice.ts';
import type { LanguageModelCalled } from './model-call.ts';
import type { TrajectoryRecorded } from './trajectory.ts';

export const feedbackKinds = ['helpful', 'irrelevant', 'outdated', 'inaccurate', 'duplicate'] as const;
export type FeedbackKind = (typeof feedbackKinds)[number];

/** Score of a kind of feedback if the caller gives none. */
export const defaultFeedbackScore: Readonly<Record<FeedbackKind, number>> = {
  helpful: 1,
  irrelevant: -0.5,
  outdated: -0.5,
  inaccurate: -1,
  duplicate: -0.25,
};

export const FeedbackGiven = defineEvent({
  type: 'FeedbackGiven',
  category: 'feedback',
  version: 2,
  routing: z.object({
    memoryId: z.string(),
    kind: z.enum(feedbackKinds),
    score: z.number().min(-1).max(1),
    searchId: z.string().optional(),
    /** Whether it comes from the memory's writer or an admin. Not known before version 2. */
    isAuthoritative: z.boolean(),
  }),
  sealed: z.object({ note: z.string().optional() }),
  upcasters: { 1: (data) => ({ ...data, isAuthoritative: false }) },
});

/**
 * The question of a search on which a memory was judged; precedes the judgement in the same stream. Sealed with the caller's key
 * and not the memory's: what a person asked is erased with that person.
 */
export const QuestionJudged = defineEvent({
  type: 'QuestionJudged',
  category: 'feedback',
  version: 1,
  routing: z.object({ memoryId: z.string(), searchId: z.string() }),
  sealed: z.object({ query: z.string() }),
});

/** The memory was erased, and its feedback with it. */
export const FeedbackErased = defineEvent({
  type: 'FeedbackErased',
  category: 'feedback',
  version: 1,
  routing: z.object({ memoryId: z.string() }),
  sealed: z.object({}),
});

/** Who asked the question of this search was erased, and the question with them. The judgement stays. */
export const QuestionErased = defineEvent({
  type: 'QuestionErased',
  category: 'feedback',
  version: 1,
  routing: z.object({ memoryId: z.string(), searchId: z.string() }),
  sealed: z.object({}),
});

export type FeedbackEvent =
  | EventOf<typeof FeedbackGiven>
  | EventOf<typeof QuestionJudged>
  | EventOf<typeof QuestionErased>
  | EventOf<typeof FeedbackErased>;

/** Routes of a search: chosen by the program, or `multi-hop` at the caller's request. */
const performedRoutes = [...routes, 'multi-hop'] as const;

/** The answer to one search as it was given: the record of how memories ranked then. */
export const SearchPerformed = defineEvent({
  type: 'SearchPerformed',
  category: 'retrieval',
  version: 8,
  routing: z.object({
    searchId: z.string(),
    layers: z.array(layerSchema).optional(),
    scope: scopeSchema.optional(),
    /** The spaces that were searched, also if they were chosen. */
    spaces: z.array(z.string()).optional(),
    /** How they were chosen, where the caller left the choice open. Missing before version 8. */
    spaceChoice: spaceChoiceSchema.optional(),
    topK: z.int(),
    /** On the scale of `score`; absent if the caller gave none, and the answer was focused. */
    threshold: z.number().optional(),
    /** Used before version 4, when thresholds were on the scale of `relevance`. */
    relevanceThreshold: z.number().optional(),
    order: z.enum(['precedence', 'relevance', 'layer']),
    includeSuperseded: z.boolean().optional(),
    /** What "last week" is relative to. Missing before version 5, and for a search of the past without one. */
    now: z.iso.datetime().optional(),
    /** What the read models had reached, or the position that was asked about. */
    readPosition: z.int(),
    embeddingModel: z.string().optional(),
    /** Before version 4 there was no `score`. */
    results: z.array(
      z.object({
        memoryId: z.string(),
        rank: z.int(),
        relevance: z.number(),
        score: z.number().optional(),
        /** Log-odds that feedback added to the relevance; absent if there was none. */
        feedback: z.number().optional(),
        /** Log-odds that the value of the memory added; absent if there was none. Missing before version 6. */
        value: z.number().optional(),
        /** Log-odds that its age took; absent if it took none. Missing before version 7. */
        decay: z.number().optional(),
      }),
    ),
    warnings: z.array(z.string()),
    durationMs: z.number(),
    /** The route that produced the results. */
    route: z.enum(performedRoutes),
    /** Why this route was chosen, and by which signals. Missing before version 2, and for `multi-hop`. */
    decision: z
      .object({
        reason: z.enum(routeReasons),
        score: z.number().min(0).max(1),
        threshold: z.number().min(0).max(1),
        signals: z.array(z.object({ name: z.string(), value: z.number(), weight: z.number() })),
        /** The choice of the route, for learning. Missing before version 6. */
        choice: routeChoiceSchema.optional(),
      })
      .optional(),
    /** `sessionKeyOf`. Missing before version 6, and without a session. */
    session: z.string().optional(),
    /** Tokens of language models, and of search texts at four characters a token. Missing before version 6. */
    tokens: z.int().nonnegative().optional(),
  }),
  sealed: z.object({
    query: z.string(),
    tags: z.array(z.string()).optional(),
    filter: filterObject.optional(),
    sessionId: z.string().optional(),
  }),
  upcasters: {
    1: (data) => ({ ...data, route: 'standard' }),
    2: (data) => data,
    3: fromRelevanceScale,
    4: (data) => data,
    5: (data) => data,
    6: (data) => data,
    7: (data) => data,
  },
});

/** The `score` of version 3 is today's relevance, and its order `precedence` was strictly by layer. */
function fromRelevanceScale({ threshold, order, ...data }: Record<string, unknown>): Record<string, unknown> {
  const results = data['results'] as readonly { readonly score: number }[];
  return {
    ...data,
    relevanceThreshold: threshold,
    order: order === 'precedence' ? 'layer' : order,
    results: results.map(({ score, ...result }) => ({ ...result, relevance: score })),
  };
}

/** The memories in one answer. Access counts are derived from these events. */
export const MemoriesAccessed = defineEvent({
  type: 'MemoriesAccessed',
  category: 'retrieval',
  version: 1,
  routing: z.object({
    searchId: z.string(),
    how: z.enum(['search', 'context']),
    memoryIds: z.array(z.string()),
  }),
  sealed: z.object({}),
});

/** What an item of a context is: a whole memory, a part of one, or a recent turn of the session. */
export const contextItemKinds = ['memory', 'passage', 'turn'] as const;
export type ContextItemKind = (typeof contextItemKinds)[number];

/** Kinds of items that are made from several memories. */
export const contextBlockKinds = ['summary', 'profile'] as const;
export type ContextBlockKind = (typeof contextBlockKinds)[number];

/** Why a memory that was found is not in the context. */
export const leftOutReasons = ['budget', 'duplicate', 'superseded'] as const;
export type LeftOutReason = (typeof leftOutReasons)[number];

/** The context for a question as it was given; follows the search that found its memories in the same stream. */
export const ContextAssembled = defineEvent({
  type: 'ContextAssembled',
  category: 'retrieval',
  version: 1,
  routing: z.object({
    searchId: z.string(),
    tokenBudget: z.int(),
    tokenCount: z.int(),
    tokenizer: z.string(),
    /** Memories, in the order of the text. */
    items: z.array(
      z.object({
        kind: z.enum(contextItemKinds),
        memoryId: z.string(),
        tokens: z.int(),
        /** Offsets in the content, in UTF-16 units; only of a part. */
        start: z.int().optional(),
        end: z.int().optional(),
      }),
    ),
    /** A profile before the memories, and summaries after them. They do not count as accesses of their sources. */
    blocks: z
      .array(
        z.object({
          kind: z.enum(contextBlockKinds),
          layer: layerSchema,
          scope: z.object(scopeSchema.shape),
          depth: depthSchema.optional(),
          tokens: z.int(),
          sources: z.array(z.string()),
          stale: z.boolean().optional(),
        }),
      )
      .optional(),
    leftOut: z.array(z.object({ memoryId: z.string(), reason: z.enum(leftOutReasons) })),
    durationMs: z.number(),
  }),
  sealed: z.object({}),
});

/** A read of history, audit or keys, or of something that the caller may read only by its role: auditors are audited too. */
export const AuditRead = defineEvent({
  type: 'AuditRead',
  category: 'retrieval',
  version: 1,
  routing: z.object({ what: z.string(), memoryId: z.string().optional(), items: z.int() }),
  sealed: z.object({ parameters: jsonObject.optional() }),
});

export type RetrievalEvent =
  | EventOf<typeof SearchPerformed>
  | EventOf<typeof MemoriesAccessed>
  | EventOf<typeof ContextAssembled>
  | EventOf<typeof TrajectoryRecorded>
  | EventOf<typeof LanguageModelCalled>
  | FeedbackEvent
  | EventOf<typeof AuditRead>;
