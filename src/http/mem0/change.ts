import { z } from 'zod';
import { updateMemory } from '../../api/memories/update-memory.ts';
import { jsonObject, type JsonObject } from '../../domain/json.ts';
import { invalid, Problem } from '../../domain/problems.ts';
import { expirationDate } from './fields.ts';
import { deletedAfter, expirationKey, mem0Memory } from './memory.ts';
import { activeMemory } from './read.ts';
import { bodyOf, type Handler } from './request.ts';
import type { Mem0Session } from './session.ts';

const change = {
  text: updateMemory.input.shape.content.unwrap().nullish(),
  metadata: jsonObject.nullish(),
  expiration_date: expirationDate.nullish(),
  timestamp: z.unknown().optional(),
};

type Change = z.output<z.ZodObject<typeof change>>;

/** `PUT /v1/memories/{id}/`: metadata is merged; an `expiration_date` of null removes the date. */
export const update: Handler = async (request) => {
  const memoryId = request.params['id']!;
  const sent = await bodyOf(request, z.looseObject(change));
  const session = await request.session.forMemory(memoryId);
  await activeMemory(session, memoryId);
  const { memory, position } = await session.perform(updateMemory, {
    memoryId,
    expectedRevision: '*',
    ...patchOf(sent, ''),
  });
  await session.untilSearchable(position);
  return mem0Memory(memory);
};

/** The merge patch of Stratalog for a change of mem0. */
function patchOf({ text, metadata, expiration_date: expiration, timestamp }: Change, path: string) {
  if (timestamp !== undefined && timestamp !== null)
    throw new Problem(
      'not-supported',
      `${path}timestamp: when a memory occurred cannot be changed; delete it and add it again with the right timestamp`,
    );
  if (text == null && metadata == null && expiration === undefined)
    throw invalid(`${path}text`, 'is required, or metadata, or expiration_date');
  const merged: JsonObject = {
    ...metadata,
    ...(expiration !== undefined && { [expirationKey]: expiration }),
  };
  return {
    ...(text != null && { content: text }),
    ...(Object.keys(merged).length > 0 && { metadata: merged }),
    ...(expiration !== undefined && {
      expiresAt: expiration === null ? null : deletedAfter(expiration, new Date()),
    }),
  };
}

const maxInBatch = 1_000;
const memoryId = z.string().min(1);
const batchBody = z.looseObject({
  memories: z
    .array(z.looseObject({ ...change, memory_id: memoryId }))
    .min(1)
    .max(maxInBatch),
});

/** `PUT /v1/batch/`. Nothing is changed if one of the memories is unknown or one of the changes is refused. */
export const updateBatch: Handler = async (request) => {
  const { memories } = await bodyOf(request, batchBody);
  const changes = memories.map((memory, index) => ({
    memoryId: memory.memory_id,
    patch: patchOf(memory, `memories.${index}.`),
  }));
  const sessions = await knownMemories(
    request.session,
    changes.map(({ memoryId }) => memoryId),
  );
  let last: string | undefined;
  for (const [index, { memoryId, patch }] of changes.entries()) {
    const changed = { memoryId, expectedRevision: '*' as const, ...patch };
    ({ position: last } = await sessions[index]!.perform(updateMemory, changed));
  }
  await request.session.untilSearchable(last);
  return {
    message: `Successfully updated ${changes.length} ${changes.length === 1 ? 'memory' : 'memories'}`,
  };
};

/** A session for each of the memories. Throws `not-found` that names the first unknown one. */
export async function knownMemories(session: Mem0Session, ids: readonly string[]): Promise<Mem0Session[]> {
  const sessions: Mem0Session[] = [];
  for (const [index, id] of ids.entries()) {
    const acting = await session.forMemory(id);
    try {
      await activeMemory(acting, id);
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'not-found')) throw error;
      throw new Problem('not-found', `memories.${index}.memory_id: no such memory; nothing was changed`);
    }
    sessions.push(acting);
  }
  return sessions;
}
