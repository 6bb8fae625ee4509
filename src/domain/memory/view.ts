import { z } from 'zod';
import { identifier, layerSchema, scopeKeys, scopeSchema, type Scope } from '../layers.ts';
import { jsonObject } from '../json.ts';
import { sectionSourceSchema } from '../documents/source.ts';
import { feedbackKinds, type FeedbackKind } from '../retrieval/events.ts';
import type { Affirmations } from './affirmation.ts';
import { trustSchema, unrecordedTrust } from '../trust/trust.ts';
import { representationsSchema } from './content.ts';
import type { LiveSnapshot } from './snapshot.ts';

export const memoryStates = ['active', 'deleted', 'archived'] as const;

const time = z.iso.datetime();

/** A memory as returned by the API. */
export const memorySchema = z
  .strictObject({
    id: z.string().meta({ description: 'UUIDv7; ids sort by creation time' }),
    externalId: z.string().optional(),
    content: z.string(),
    layer: layerSchema,
    scope: scopeSchema.extend({ company: identifier }),
    spaces: z.array(z.string()),
    tags: z.array(z.string()),
    metadata: jsonObject,
    representations: representationsSchema,
    source: sectionSourceSchema.optional().meta({
      description: 'Of a section: its document, and where it stands there today',
    }),
    pii: z
      .array(z.object({ type: z.string(), start: z.int(), end: z.int() }))
      .optional()
      .meta({ description: 'Personal data and secrets in the content: type and place, in UTF-16 units' }),
    occurredAt: time.optional(),
    expiresAt: time.optional().meta({ description: 'When it is soft-deleted' }),
    retention: z.literal('keep').optional().meta({
      description: '`keep`: neither `expiresAt` nor the retention of a space deletes it',
    }),
    createdAt: time,
    updatedAt: time,
    createdBy: z.string(),
    revision: z.int().nonnegative(),
    trust: trustSchema,
    state: z.enum(memoryStates),
    retentionUntil: time.optional(),
    importance: z.number().meta({
      description:
        'Value of the memory from its use, 0 to 1, as far as the caller may know it; 0.5 until it is learned. Always current, even with `asOf`',
    }),
    feedback: z.record(z.enum(feedbackKinds), z.int().nonnegative()).meta({
      description:
        'Number of callers who gave each kind of feedback and have not withdrawn it. Always current, even with `asOf`',
    }),
    accessCount: z.int().nonnegative().meta({
      description:
        'Number of times that the memory was returned by a search or a context. Always current, even with `asOf`',
    }),
    lastAccessedAt: time.optional(),
    citations: z.int().positive().optional().meta({
      description:
        'Number of memories that the caller sees and whose text refers to it, in spaces with `citationTracking`; absent if there is none. Always current',
    }),
    affirmations: z.int().nonnegative().meta({
      description: 'Number of times that the same was told again',
    }),
    affirmedAt: time.optional().meta({
      description:
        'When it was last told again. Where the newer of two memories comes first, this time counts',
    }),
  })
  .meta({ id: 'Memory' });

export type MemoryView = z.infer<typeof memorySchema>;

/** Counters that come from other streams. They can lag behind the memory. */
export type Counters = {
  /** Learned from the uses that the caller may know about. */
  readonly importance: number;
  readonly feedback: Record<FeedbackKind, number>;
  readonly accessCount: number;
  readonly lastAccessedAt?: string;
} & Affirmations;

export const noFeedback: Readonly<Record<FeedbackKind, number>> = {
  helpful: 0,
  irrelevant: 0,
  outdated: 0,
  inaccurate: 0,
  duplicate: 0,
};

/** Importance of a memory until it is learned. */
const neutralImportance = 0.5;

export const noAccess: Counters = {
  importance: neutralImportance,
  feedback: noFeedback,
  accessCount: 0,
  affirmations: 0,
};

/** Builds the API representation. The order of keys does not depend on how the events were stored. */
export function viewOf(tenant: string, snapshot: LiveSnapshot, counters: Counters = noAccess): MemoryView {
  const { state, revision, createdAt, updatedAt } = snapshot;
  const { id, externalId, content, layer, spaces, tags, metadata, representations, createdBy } = state.value;
  const { pii, occurredAt, expiresAt, retention, documentId } = state.value;
  return {
    id,
    ...(externalId !== undefined && { externalId }),
    content,
    layer,
    scope: scopeOf(tenant, state.value.scope),
    spaces: [...spaces],
    tags: [...tags],
    metadata,
    representations,
    ...(documentId !== undefined && { source: { documentId } }),
    ...(pii && pii.length > 0 && { pii }),
    ...(occurredAt !== undefined && { occurredAt }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(retention !== undefined && { retention }),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    createdBy,
    revision,
    trust: state.value.trust ?? unrecordedTrust,
    state: state.status,
    ...(state.status === 'deleted' && { retentionUntil: state.retentionUntil }),
    ...counters,
  };
}

function scopeOf(company: string, scope: Scope): MemoryView['scope'] {
  const own = scopeKeys.flatMap((key) => (scope[key] === undefined ? [] : [[key, scope[key]]]));
  return { company, ...(Object.fromEntries(own) as Scope) };
}
