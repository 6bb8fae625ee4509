import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';
import { outcomeSources, signalKinds } from './outcome.ts';

/**
 * What became of the answer to a search, as one source saw it. A search may have several such events; `outcomeOf` decides which one
 * counts. The event names memories and holds nothing of their content.
 */
export const OutcomeObserved = defineEvent({
  type: 'OutcomeObserved',
  category: 'outcome',
  version: 2,
  routing: z.object({
    searchId: z.string(),
    kind: z.enum(signalKinds),
    /** The memories that were used; for feedback, the memory that was judged. */
    memoryIds: z.array(z.string()),
    /** How good what was used was, 0 to 1; only of `used`. */
    quality: z.number().min(0).max(1).optional(),
    /** The caller said that it had to ask again. */
    refined: z.boolean().optional(),
    source: z.enum(outcomeSources),
  }),
  sealed: z.object({}),
  // Version 2 added the kind `withdrawn`.
  upcasters: { 1: (data) => data },
});

/** A caller has ended a session. Its searches that have no other signal by then count as ignored. */
export const SessionEnded = defineEvent({
  type: 'SessionEnded',
  category: 'session',
  version: 1,
  /** `sessionKeyOf`, as in the name of the stream. */
  routing: z.object({ session: z.string() }),
  sealed: z.object({ sessionId: z.string() }),
});

export type OutcomeEvent = EventOf<typeof OutcomeObserved>;
export type SessionEvent = EventOf<typeof SessionEnded>;
