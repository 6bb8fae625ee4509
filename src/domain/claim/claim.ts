import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';
import { jsonObject } from '../json.ts';

/**
 * A claim makes a value unique within its tenant, or within a part of it that is hashed with it. Each value has a stream; the first event, appended with `noStream`, takes
 * the claim. The stream name contains the value only as a keyed hash.
 */
export const ClaimTaken = defineEvent({
  type: 'ClaimTaken',
  category: 'claim',
  version: 1,
  routing: z.object({ memoryId: z.string() }),
  sealed: z.object({}),
});

/** The memory was erased, and the value is free again. */
export const ClaimReleased = defineEvent({
  type: 'ClaimReleased',
  category: 'claim',
  version: 1,
  routing: z.object({ memoryId: z.string() }),
  sealed: z.object({}),
});

/**
 * The response to a command with an idempotency key, recorded if it cannot be derived from the command's own events, or if
 * the command changed nothing and left none. A repeated command then gets the same response, even after other writes.
 */
export const CommandAnswered = defineEvent({
  type: 'CommandAnswered',
  category: 'claim',
  version: 1,
  routing: z.object({
    /** Empty if the command did not concern a memory. */
    memoryId: z.string(),
    revision: z.int(),
    position: z.int(),
    /** The response itself, if it cannot be derived from a stream. */
    answer: jsonObject.optional(),
  }),
  sealed: z.object({}),
});

export type ClaimEvent =
  EventOf<typeof ClaimTaken> | EventOf<typeof ClaimReleased> | EventOf<typeof CommandAnswered>;

/** The id of the memory that holds the claim, or undefined if it is free. */
export function holder(events: readonly ClaimEvent[]): string | undefined {
  let memoryId: string | undefined;
  for (const event of events) {
    if (event.type === 'ClaimTaken') memoryId = event.data.memoryId;
    if (event.type === 'ClaimReleased') memoryId = undefined;
  }
  return memoryId;
}
