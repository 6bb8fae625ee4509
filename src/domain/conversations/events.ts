import { z } from 'zod';
import { roles } from '../access/context.ts';
import { defineEvent, type EventOf } from '../events/define.ts';
import { layerSchema, scopeSchema } from '../layers.ts';

const count = z.int().nonnegative();
const memoryIds = z.array(z.string());

/** Why nothing could be drawn from a conversation, if it was not that nothing is to be learned from it. */
export const drawFailures = ['not-allowed', 'refused', 'invalid-answer', 'erased'] as const;
export type DrawFailure = (typeof drawFailures)[number];

/**
 * The turns of a conversation are stored, each a memory of its own. Holds ids alone: what was said is in the memories, and is erased with
 * them.
 */
export const ConversationRecorded = defineEvent({
  type: 'ConversationRecorded',
  category: 'conversation',
  version: 1,
  routing: z.object({
    conversationId: z.string(),
    /** In the order in which they were said. */
    turnIds: memoryIds,
    /** Absent if no facts are to be drawn. */
    extract: z
      .object({
        /** Where the facts belong. */
        layer: layerSchema,
        scope: scopeSchema,
        /** The rights that the caller had: facts are stored with no others. */
        roles: z.array(z.enum(roles)),
        /** Whether a language model was configured. Without one, only facts that are made anew have the conversation. */
        pending: z.boolean(),
      })
      .optional(),
  }),
  sealed: z.object({}),
});

/**
 * What a language model found in a conversation, before it is decided against what is known. Recorded first, so that a process that is
 * killed in between stores what was found and asks no second time. The key is destroyed as soon as the facts are drawn: what a turn
 * said is then nowhere but in its memory and in facts, which are erased with it.
 */
export const FactsProposed = defineEvent({
  type: 'FactsProposed',
  category: 'conversation',
  version: 1,
  routing: z.object({
    conversationId: z.string(),
    generation: z.int().positive(),
    model: z.string(),
    /** Version of the instructions. */
    prompt: z.int().positive(),
    /** What the model wrote and what was left out. */
    dropped: z.object({
      /** Their words are not in the turns that they name. */
      unsupported: count,
      /** They say nothing that is worth keeping. */
      junk: count,
    }),
  }),
  sealed: z.object({ facts: z.array(z.object({ text: z.string(), turnIds: memoryIds })) }),
});

/** `stored`: a new memory. `affirmed`: a memory that says the same was told again. `same`: one that says the same is there. */
export const factOutcomes = ['stored', 'affirmed', 'same'] as const;

/** The facts of a conversation are in its layer, or kept beside it if their generation is not live. */
export const FactsDrawn = defineEvent({
  type: 'FactsDrawn',
  category: 'conversation',
  version: 1,
  routing: z.object({
    conversationId: z.string(),
    generation: z.int().positive(),
    model: z.string(),
    prompt: z.int().positive(),
    facts: z.array(z.object({ memoryId: z.string(), turnIds: memoryIds, outcome: z.enum(factOutcomes) })),
    failure: z.enum(drawFailures).optional(),
  }),
  sealed: z.object({}),
});

export type ConversationEvent =
  EventOf<typeof ConversationRecorded> | EventOf<typeof FactsProposed> | EventOf<typeof FactsDrawn>;

export type RecordedConversation = EventOf<typeof ConversationRecorded>['data'];
export type Extraction = NonNullable<RecordedConversation['extract']>;
export type Proposal = EventOf<typeof FactsProposed>['data'];
export type Drawn = EventOf<typeof FactsDrawn>['data'];
export type DrawnFact = Drawn['facts'][number];
