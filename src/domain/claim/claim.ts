import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';
import { jsonObject } from '../json.ts';

/**
 * A claim makes a value unique in its tenant: the first event of its stream, appended with `noStream`, wins.
 * What is claimed stands in the stream's name as a keyed hash only.
 */
export const ClaimTaken = defineEvent({
  type: 'ClaimTaken',
  category: 'claim',
  version: 1,
  routing: z.object({ memoryId: z.string() }),
  sealed: z.object({}),
});

/** Erasure of the memory frees the value again. */
export const ClaimReleased = defineEvent({
  type: 'ClaimReleased',
  category: 'claim',
  version: 1,
  routing: z.object({ memoryId: z.string() }),
  sealed: z.object({}),
});

/**
 * What a keyed command answered that its own events do not tell, or that left none since it changed nothing: its
 * repetition must answer the same, also after others have written.
 */
export const CommandAnswered = defineEvent({
  type: 'CommandAnswered',
  category: 'claim',
  version: 1,
  routing: z.object({
    /** Empty where the command was not about a memory. */
    memoryId: z.string(),
    revision: z.int(),
    position: z.int(),
    /** The answer itself, where it cannot be told from a stream. */
    answer: jsonObject.optional(),
  }),
  sealed: z.object({}),
});

export type ClaimEvent =
  EventOf<typeof ClaimTaken> | EventOf<typeof ClaimReleased> | EventOf<typeof CommandAnswered>;

/** The memory that holds the claim, or undefined where it is free. */
export function holder(events: readonly ClaimEvent[]): string | undefined {
  let memoryId: string | undefined;
  for (const event of events) {
    if (event.type === 'ClaimTaken') memoryId = event.data.memoryId;
    if (event.type === 'ClaimReleased') memoryId = undefined;
  }
  return memoryId;
}
