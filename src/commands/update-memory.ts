import { z } from 'zod';
import {
  contentSchema,
  expiresAtSchema,
  representationKinds,
  retentionSchema,
  spacesSchema,
  tagsSchema,
} from '../domain/memory/content.ts';
import { jsonObject } from '../domain/json.ts';
import type { MemoryPatch } from '../domain/memory/memory.ts';
import { changeMemory, type MatchCondition, type MemoryResult } from './change-memory.ts';
import type { CommandContext, CommandServices } from './context.ts';

const immutable = z.never('is immutable').optional();

const representationsPatch = z.partialRecord(z.enum(representationKinds), z.string().min(1).nullable());

/** A JSON merge patch (RFC 7396): null deletes a key, arrays replace. */
export const updateMemoryInput = z
  .strictObject({
    content: contentSchema.optional(),
    metadata: jsonObject.nullable().optional(),
    tags: tagsSchema.nullable().optional(),
    spaces: spacesSchema.nullable().optional(),
    representations: jsonObject.pipe(representationsPatch).nullable().optional(),
    expiresAt: expiresAtSchema.nullable().optional(),
    retention: retentionSchema.nullable().optional(),
    layer: immutable,
    scope: immutable,
    externalId: immutable,
    id: immutable,
    occurredAt: immutable,
  })
  .meta({ id: 'UpdateMemory' });

export type UpdateMemoryInput = z.infer<typeof updateMemoryInput>;

/** Changes the fields that the patch names. A patch that changes nothing leaves the revision as it is. */
export async function updateMemory(
  services: CommandServices,
  context: CommandContext,
  memoryId: string,
  input: UpdateMemoryInput,
  match: MatchCondition,
): Promise<MemoryResult> {
  const { content, metadata, tags, spaces, representations, expiresAt, retention } = input;
  const patch: MemoryPatch = {
    ...(content !== undefined && { content }),
    ...(metadata !== undefined && { metadata }),
    ...(tags !== undefined && { tags: tags ?? [] }),
    ...(spaces !== undefined && { spaces: spaces ?? [] }),
    ...(representations !== undefined && { representations: representations }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(retention !== undefined && { retention }),
  };
  return changeMemory(services, context, memoryId, { type: 'update', patch }, match);
}
