import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';

/** A head of the tree over the log was signed. The tree has only events before this one. */
export const CheckpointSigned = defineEvent({
  type: 'CheckpointSigned',
  category: 'checkpoint',
  version: 1,
  routing: z.object({
    origin: z.string(),
    size: z.int().nonnegative(),
    /** In base64. */
    root: z.string(),
    /** The signed note. */
    note: z.string(),
    /** The keys that verify it. */
    verifierKeys: z.array(z.string()),
  }),
  sealed: z.object({}),
});

export type CheckpointEvent = EventOf<typeof CheckpointSigned>;
