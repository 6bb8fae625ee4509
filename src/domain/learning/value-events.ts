import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';

/**
 * Which results of a search were used, by its explicit outcome. The last event of the stream counts, because a later outcome replaces an
 * earlier one; without results if all feedback was withdrawn. The event holds ids and numbers, and nothing of the content or question.
 */
export const UseObserved = defineEvent({
  type: 'UseObserved',
  category: 'outcome',
  version: 2,
  routing: z.object({
    searchId: z.string(),
    /** Keyed hash of the user, the question and where it searched: the same for a question that is asked again. Missing before version 2. */
    question: z.string().optional(),
    /** The user who asked; missing for a caller without one. */
    user: z.string().optional(),
    /** Position of the search in the log. */
    askedAt: z.int().nonnegative(),
    results: z.array(
      z.object({
        memoryId: z.string(),
        /** As it was shown, without what the value had added to it. */
        relevance: z.number().min(0).max(1),
        used: z.boolean(),
      }),
    ),
  }),
  sealed: z.object({}),
  upcasters: { 1: (data) => data },
});

/**
 * A look at whether values would have improved the ranking of a tenant's own searches, and the weight that they have from then on. All
 * looks share one error, so each is recorded.
 */
export const ValuesCompared = defineEvent({
  type: 'ValuesCompared',
  category: 'policy',
  version: 2,
  routing: z.object({
    /** Number of searches with an explicit outcome in which something was used, at this look. */
    searches: z.int().nonnegative(),
    looks: z.int().positive(),
    /** Mean gain of nDCG. */
    gain: z.number(),
    /** Missing if it is unbounded, as with few questions. */
    interval: z.tuple([z.number(), z.number()]).optional(),
    /** The least gain with one user left out; missing for fewer than four users. */
    leastWithoutOne: z.number().optional(),
    /** Of the value in log-odds; 0 while values do not change the ranking. */
    weight: z.number().min(0).max(0.5),
  }),
  sealed: z.object({}),
  // Version 2 may lack the interval.
  upcasters: { 1: (data) => data },
});

export type UseEvent = EventOf<typeof UseObserved>;
export type ValuesComparison = EventOf<typeof ValuesCompared>;
