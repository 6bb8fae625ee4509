import { z } from 'zod';
import { identifier, layerSchema, scopeSchema } from '../layers.ts';
import { jsonObject } from '../json.ts';
import { representationsSchema } from './content.ts';
import type { LiveSnapshot } from './snapshot.ts';

export const memoryStates = ['active', 'deleted', 'archived'] as const;

const time = z.iso.datetime();

/** A memory as callers see it. */
export const memorySchema = z
  .strictObject({
    id: z.string().meta({ description: 'UUIDv7: sorts by creation' }),
    externalId: z.string().optional(),
    content: z.string(),
    layer: layerSchema,
    scope: scopeSchema.extend({ company: identifier }),
    spaces: z.array(z.string()),
    tags: z.array(z.string()),
    metadata: jsonObject,
    representations: representationsSchema,
    occurredAt: time.optional(),
    createdAt: time,
    updatedAt: time,
    createdBy: z.string(),
    revision: z.int().nonnegative(),
    state: z.enum(memoryStates),
    retentionUntil: time.optional(),
    importance: z.number(),
    accessCount: z.int().nonnegative(),
    lastAccessedAt: time.optional(),
  })
  .meta({ id: 'Memory' });

export type MemoryView = z.infer<typeof memorySchema>;

/** What other streams know of a memory: best effort, may lag. */
export interface Counters {
  readonly accessCount: number;
  readonly lastAccessedAt?: string;
}

export const noAccess: Counters = { accessCount: 0 };

/** Neutral until learning moves it. */
export const neutralImportance = 0.5;

export function viewOf(tenant: string, snapshot: LiveSnapshot, counters: Counters = noAccess): MemoryView {
  const { state, revision, createdAt, updatedAt } = snapshot;
  const { claim: _, scope, spaces, tags, ...value } = state.value;
  return {
    ...value,
    scope: { company: tenant, ...scope },
    spaces: [...spaces],
    tags: [...tags],
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    revision,
    state: state.status,
    ...(state.status === 'deleted' && { retentionUntil: state.retentionUntil }),
    importance: neutralImportance,
    ...counters,
  };
}
