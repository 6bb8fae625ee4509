import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';

export const resolutions = ['manual', 'keep_all', 'keep_representative'] as const;
export type Resolution = (typeof resolutions)[number];

/**
 * A memory says the same as the representative of a cluster. The first event of a cluster begins it, with both. Each cluster has a stream
 * of its own; no event has content.
 */
export const DuplicateFound = defineEvent({
  type: 'DuplicateFound',
  category: 'duplicates',
  version: 1,
  routing: z.object({
    clusterId: z.string(),
    space: z.string(),
    representative: z.string(),
    memoryId: z.string(),
    /** To the representative. */
    similarity: z.number().min(0).max(1),
  }),
  sealed: z.object({}),
});

/** The memory has another text now. */
export const DuplicateWithdrawn = defineEvent({
  type: 'DuplicateWithdrawn',
  category: 'duplicates',
  version: 1,
  routing: z.object({ clusterId: z.string(), memoryId: z.string() }),
  sealed: z.object({}),
});

/** Somebody decided about the cluster; `manual` takes the last decision back. */
export const DuplicatesResolved = defineEvent({
  type: 'DuplicatesResolved',
  category: 'duplicates',
  version: 1,
  routing: z.object({
    clusterId: z.string(),
    resolution: z.enum(resolutions),
    representative: z.string(),
    /** The memories that are deleted with the decision, or restored where it is taken back. */
    memories: z.array(z.string()),
  }),
  sealed: z.object({}),
});

export type DuplicateEvent =
  EventOf<typeof DuplicateFound> | EventOf<typeof DuplicateWithdrawn> | EventOf<typeof DuplicatesResolved>;
