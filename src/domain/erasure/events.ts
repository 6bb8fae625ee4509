import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';

const count = z.int().nonnegative();

/** What is erased. A subject is named by its pseudonym; `generation` is that of its key, which the erasure destroys. */
export const erasureTargetSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('memory'), memoryId: z.string() }),
  /** With the memories of its sections. */
  z.object({ kind: z.literal('document'), documentId: z.string() }),
  z.object({ kind: z.literal('subject'), subject: z.string(), generation: count }),
  /** `keys` is the number of data keys that the erasure destroys. */
  z.object({ kind: z.literal('tenant'), tenant: z.string(), keys: count }),
]);
export type ErasureTarget = z.infer<typeof erasureTargetSchema>;

/** When the files of the database are rewritten: at once, or within the time of the setting. */
export const filesWhen = ['scheduled', 'immediately'] as const;
export type FilesWhen = (typeof filesWhen)[number];

/** `cleared`: nothing is left there. `unreadable`: what is left is ciphertext whose key is destroyed. */
const surfaceStates = ['pending', 'cleared', 'unreadable'] as const;

const counted = z.object({ name: z.string(), count });

/** One place that held something, and what became of it. */
export const clearedSurfaceSchema = z.object({
  name: z.string(),
  /** What it held before. */
  count,
  state: z.enum(surfaceStates),
  at: z.iso.datetime().optional(),
  note: z.string().optional(),
});
export type ClearedSurface = z.infer<typeof clearedSurfaceSchema>;

/** An erasure was asked for. It is carried out from here on, whatever happens to the process. */
export const ErasureRequested = defineEvent({
  type: 'ErasureRequested',
  category: 'erasure',
  version: 2,
  routing: z.object({
    erasureId: z.string(),
    target: erasureTargetSchema,
    files: z.enum(filesWhen),
    /** What the surfaces held, if it was counted before the request was answered. */
    counts: z.array(counted).optional(),
  }),
  sealed: z.object({}),
  // Version 2 added the erasure of a document.
  upcasters: { 1: (data) => data },
});

/** What the surfaces held before anything of them was removed. */
export const ErasureCounted = defineEvent({
  type: 'ErasureCounted',
  category: 'erasure',
  version: 1,
  routing: z.object({ erasureId: z.string(), counts: z.array(counted) }),
  sealed: z.object({}),
});

/** Every surface is clear except the files of the database. */
export const ErasureAdvanced = defineEvent({
  type: 'ErasureAdvanced',
  category: 'erasure',
  version: 1,
  routing: z.object({ erasureId: z.string(), surfaces: z.array(clearedSurfaceSchema) }),
  sealed: z.object({}),
});

/** Nothing is left within reach. The receipt is the signed note. */
export const ErasureCompleted = defineEvent({
  type: 'ErasureCompleted',
  category: 'erasure',
  version: 1,
  routing: z.object({
    erasureId: z.string(),
    surfaces: z.array(clearedSurfaceSchema),
    /** A signed note whose text is the receipt in canonical JSON. */
    receipt: z.string(),
  }),
  sealed: z.object({}),
});

export type ErasureEvent =
  | EventOf<typeof ErasureRequested>
  | EventOf<typeof ErasureCounted>
  | EventOf<typeof ErasureAdvanced>
  | EventOf<typeof ErasureCompleted>;

export type ErasureRequest = z.infer<typeof ErasureRequested.routing>;
