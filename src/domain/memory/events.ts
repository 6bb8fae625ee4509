import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';
import { jsonObject } from '../json.ts';
import { layerSchema, scopeSchema } from '../layers.ts';
import { representationsSchema } from './content.ts';

const count = z.int().nonnegative();
const time = z.iso.datetime();

export const MemoryStored = defineEvent({
  type: 'MemoryStored',
  category: 'memory',
  version: 1,
  routing: z.object({
    memoryId: z.string(),
    layer: layerSchema,
    scope: scopeSchema,
    spaces: z.array(z.string()),
    contentLength: count,
    occurredAt: time.optional(),
    createdBy: z.string(),
    /** The claim stream of its externalId, released on erasure. */
    claim: z.string().optional(),
  }),
  sealed: z.object({
    content: z.string(),
    externalId: z.string().optional(),
    tags: z.array(z.string()),
    metadata: jsonObject,
    representations: representationsSchema,
  }),
});

/** Contains the complete new value of each changed field. */
export const MemoryUpdated = defineEvent({
  type: 'MemoryUpdated',
  category: 'memory',
  version: 1,
  routing: z.object({
    memoryId: z.string(),
    spaces: z.array(z.string()).optional(),
    contentLength: count.optional(),
  }),
  sealed: z.object({
    content: z.string().optional(),
    tags: z.array(z.string()).optional(),
    metadata: jsonObject.optional(),
    representations: representationsSchema.optional(),
  }),
});

export const MemoryDeleted = defineEvent({
  type: 'MemoryDeleted',
  category: 'memory',
  version: 1,
  routing: z.object({ memoryId: z.string(), retentionUntil: time }),
  sealed: z.object({}),
});

export const MemoryRestored = defineEvent({
  type: 'MemoryRestored',
  category: 'memory',
  version: 1,
  routing: z.object({ memoryId: z.string() }),
  sealed: z.object({}),
});

/** The memory's data key is destroyed after this event. Every read model deletes what it has stored of the memory. */
export const MemoryErased = defineEvent({
  type: 'MemoryErased',
  category: 'memory',
  version: 1,
  routing: z.object({ memoryId: z.string(), keyId: z.string(), claim: z.string().optional() }),
  sealed: z.object({}),
});

export type MemoryEvent =
  | EventOf<typeof MemoryStored>
  | EventOf<typeof MemoryUpdated>
  | EventOf<typeof MemoryDeleted>
  | EventOf<typeof MemoryRestored>
  | EventOf<typeof MemoryErased>;
