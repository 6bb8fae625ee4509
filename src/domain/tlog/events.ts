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

/** A witness confirmed a head: its signature lines belong to the note of that head. */
export const CheckpointCosigned = defineEvent({
  type: 'CheckpointCosigned',
  category: 'checkpoint',
  version: 1,
  routing: z.object({
    origin: z.string(),
    size: z.int().nonnegative(),
    /** In base64. */
    root: z.string(),
    /** Lines of signatures as the witness gave them, each with its line break (C2SP tlog-cosignature). */
    lines: z.array(z.string()),
    /** The key that the lines were verified with. */
    witnessKey: z.string(),
  }),
  sealed: z.object({}),
});

/** The log was restored: it begins with events of another log, and has a name of its own from here on. */
export const LogRestored = defineEvent({
  type: 'LogRestored',
  category: 'checkpoint',
  version: 1,
  routing: z.object({
    /** Id of this log, which its name follows from. */
    logId: z.string(),
    /** The head of the other log with which this one begins. */
    from: z.object({
      origin: z.string(),
      logId: z.string(),
      size: z.int().nonnegative(),
      position: z.int().nonnegative(),
      /** In base64. */
      root: z.string(),
    }),
    /** The last position that was there to restore; above that of `from` if the log was restored to an earlier time. */
    available: z.int().nonnegative(),
  }),
  sealed: z.object({}),
});

export type CosignatureEvent = EventOf<typeof CheckpointCosigned>;
export type RestoredEvent = EventOf<typeof LogRestored>;
/** From which log another one was restored. */
export type Restore = RestoredEvent['data'];
