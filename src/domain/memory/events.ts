import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';
import { jsonObject } from '../json.ts';
import { layerSchema, scopeSchema } from '../layers.ts';
import { trustSchema } from '../trust/trust.ts';
import { reviewDecisions } from '../trust/decisions.ts';
import { representationsSchema } from './content.ts';

const count = z.int().nonnegative();
const time = z.iso.datetime();
/** Without its name: each event has a schema of its own. */
const trust = z.object(trustSchema.shape);

/** Personal data that were found in the content: their type and place, in UTF-16 units. */
const findings = z.array(z.object({ type: z.string(), start: count, end: count }));

/** Why a memory was deleted, if it was not a caller who did it for a reason of its own. */
export const deletionCauses = ['expired', 'retention', 'merged'] as const;
export type DeletionCause = (typeof deletionCauses)[number];

/** Version 1 had no size in bytes. That of an erased content is not known; the number of UTF-16 units stands for it. */
const withBytes = ({ ...data }: Record<string, unknown>) => {
  const { content, contentLength } = data;
  if (contentLength !== undefined)
    data['contentBytes'] = typeof content === 'string' ? Buffer.byteLength(content) : contentLength;
  return data;
};

export const MemoryStored = defineEvent({
  type: 'MemoryStored',
  category: 'memory',
  version: 3,
  routing: z.object({
    memoryId: z.string(),
    layer: layerSchema,
    scope: scopeSchema,
    spaces: z.array(z.string()),
    /** UTF-16 units. */
    contentLength: count,
    /** Bytes of UTF-8. */
    contentBytes: count,
    expiresAt: time.optional(),
    retention: z.literal('keep').optional(),
    trust: trust.optional(),
    occurredAt: time.optional(),
    createdBy: z.string(),
    /** The claim stream of its externalId, released on erasure. */
    claim: z.string().optional(),
    /** The document whose section it is. */
    documentId: z.string().optional(),
  }),
  sealed: z.object({
    content: z.string(),
    externalId: z.string().optional(),
    tags: z.array(z.string()),
    metadata: jsonObject,
    representations: representationsSchema,
    pii: findings.optional(),
  }),
  // Version 3 added the document.
  upcasters: { 1: withBytes, 2: (data) => data },
});

/** Contains the complete new value of each changed field. */
export const MemoryUpdated = defineEvent({
  type: 'MemoryUpdated',
  category: 'memory',
  version: 2,
  routing: z.object({
    memoryId: z.string(),
    spaces: z.array(z.string()).optional(),
    contentLength: count.optional(),
    contentBytes: count.optional(),
    /** null: it does not expire any more. */
    expiresAt: time.nullable().optional(),
    retention: z.literal('keep').nullable().optional(),
    trust: trust.optional(),
  }),
  sealed: z.object({
    content: z.string().optional(),
    tags: z.array(z.string()).optional(),
    metadata: jsonObject.optional(),
    representations: representationsSchema.optional(),
    pii: findings.optional(),
  }),
  upcasters: { 1: withBytes },
});

export const MemoryDeleted = defineEvent({
  type: 'MemoryDeleted',
  category: 'memory',
  version: 2,
  routing: z.object({
    memoryId: z.string(),
    retentionUntil: time,
    because: z.enum(deletionCauses).optional(),
  }),
  sealed: z.object({}),
  upcasters: { 1: (data) => data },
});

export const MemoryRestored = defineEvent({
  type: 'MemoryRestored',
  category: 'memory',
  version: 1,
  routing: z.object({ memoryId: z.string() }),
  sealed: z.object({}),
});

/** The memory leaves searches, contexts and summaries, but stays. */
export const MemoryArchived = defineEvent({
  type: 'MemoryArchived',
  category: 'memory',
  version: 1,
  routing: z.object({ memoryId: z.string() }),
  sealed: z.object({}),
});

export const MemoryUnarchived = defineEvent({
  type: 'MemoryUnarchived',
  category: 'memory',
  version: 1,
  routing: z.object({ memoryId: z.string() }),
  sealed: z.object({}),
});

/** A reviewer has decided about the memory. `other` is the memory that it was compared with. */
export const MemoryReviewed = defineEvent({
  type: 'MemoryReviewed',
  category: 'memory',
  version: 1,
  routing: z.object({
    memoryId: z.string(),
    decision: z.enum(reviewDecisions),
    trust,
    other: z.string().optional(),
  }),
  sealed: z.object({}),
});

/** The memory's data key is destroyed after this event. Every read model deletes what it has stored of the memory. */
export const MemoryErased = defineEvent({
  type: 'MemoryErased',
  category: 'memory',
  version: 2,
  routing: z.object({
    memoryId: z.string(),
    keyId: z.string(),
    claim: z.string().optional(),
    documentId: z.string().optional(),
  }),
  sealed: z.object({}),
  // Version 2 added the document.
  upcasters: { 1: (data) => data },
});

/** The events that change a memory itself. */
export const memoryEvents = [
  'MemoryStored',
  'MemoryUpdated',
  'MemoryDeleted',
  'MemoryRestored',
  'MemoryArchived',
  'MemoryUnarchived',
  'MemoryErased',
  'MemoryReviewed',
] as const satisfies readonly MemoryEvent['type'][];

export type MemoryEvent =
  | EventOf<typeof MemoryStored>
  | EventOf<typeof MemoryUpdated>
  | EventOf<typeof MemoryDeleted>
  | EventOf<typeof MemoryRestored>
  | EventOf<typeof MemoryArchived>
  | EventOf<typeof MemoryUnarchived>
  | EventOf<typeof MemoryReviewed>
  | EventOf<typeof MemoryErased>;
