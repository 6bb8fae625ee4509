import { z } from 'zod';
import { deleteMemory } from '../../api/memories/delete-memory.ts';
import { relatedMemories } from '../../api/memories/related-memories.ts';
import type { JsonObject } from '../../domain/json.ts';
import { parseInput } from '../../domain/input/parse-input.ts';
import { invalid, Problem } from '../../domain/problems.ts';
import { knownMemories } from './change.ts';
import { entityFields, entityNames, entityTypes, noEntity, type EntityIds } from './entities.ts';
import { translateFilter } from './filters.ts';
import { allMemories } from './read.ts';
import { bodyOf, type Handler, type Mem0Request } from './request.ts';
import type { Mem0Session } from './session.ts';

/** `DELETE /v1/memories/{id}/`, with `delete_linked` also what the memory supersedes. */
export const remove: Handler = async ({ params, query, session }) => {
  const memoryId = params['id']!;
  const acting = await session.forMemory(memoryId);
  const isLinked = /^true$/i.test(String(query['delete_linked'] ?? ''));
  const older = isLinked ? await supersededBy(acting, memoryId) : [];
  const { position } = await acting.perform(deleteMemory, { memoryId });
  const last = await removeAll(acting, older);
  await session.untilSearchable(last ?? position);
  return { message: 'Memory deleted successfully!' };
};

/** What a memory supersedes, directly or through others, as far as links are followed. */
async function supersededBy(session: Mem0Session, memoryId: string): Promise<string[]> {
  const found = new Set([memoryId]);
  const { items } = await session.perform(relatedMemories, { memoryId, types: ['supersedes'], depth: 5 });
  // Nearest first. A memory that supersedes one of them is related too.
  for (const { memory, direction, via } of items)
    if (direction === 'outgoing' && found.has(via)) found.add(memory.id);
  found.delete(memoryId);
  return [...found];
}

const batchBody = z.looseObject({
  memories: z
    .array(z.looseObject({ memory_id: z.string().min(1) }))
    .min(1)
    .max(1_000),
});

/** `DELETE /v1/batch/`. Nothing is deleted if one of the memories is unknown. */
export const removeBatch: Handler = async (request) => {
  const { memories } = await bodyOf(request, batchBody);
  const ids = memories.map(({ memory_id: id }) => id);
  const sessions = await knownMemories(request.session, ids);
  let last: string | undefined;
  for (const [index, memoryId] of ids.entries())
    ({ position: last } = await sessions[index]!.perform(deleteMemory, { memoryId }));
  await request.session.untilSearchable(last);
  return { message: `Successfully deleted ${ids.length} memories` };
};

/** Fields that do not narrow what is deleted. Any other unknown one could, so it is refused. */
const withoutEffect = { org_id: z.unknown().optional(), project_id: z.unknown().optional() };
const removeAllQuery = z.strictObject({
  ...entityFields,
  ...withoutEffect,
  filters: z.never('cannot be read from a query; give user_id, agent_id, run_id or app_id itself').optional(),
});

/** `DELETE /v1/memories/?user_id=…`: all memories that have all of the named entities. */
export const removeMatching: Handler = async ({ query, session }) => {
  const ids: EntityIds = parseInput(removeAllQuery, query);
  const named = entityNames.filter((name) => ids[name] != null);
  if (named.length === 0) throw noEntity('the query');
  const { filter, ...users } = translateFilter(
    Object.fromEntries(named.map((name) => [name, ids[name]!])),
    'query',
  );
  await removeWhere(session.inNameOfUsers(users), filter);
  return { message: 'Memories deleted successfully!' };
};

/**
 * `DELETE /v2/entities/{type}/{name}/`: all memories of the entity. There may be none any more, if a memory of two entities was
 * deleted with the other one.
 */
export const removeEntity: Handler = async ({ params, session }: Mem0Request) => {
  const type = params['type']!;
  if (!Object.hasOwn(entityTypes, type))
    throw invalid('type', `must be one of ${Object.keys(entityTypes).join(', ')}`);
  const field = entityTypes[type as keyof typeof entityTypes];
  const { filter, ...users } = translateFilter({ [field]: { in: [params['name']!] } });
  await removeWhere(session.inNameOfUsers(users), filter);
  return { message: 'Entity deleted successfully!' };
};

async function removeWhere(session: Mem0Session, filter: JsonObject): Promise<void> {
  const ids: string[] = [];
  for await (const { id } of allMemories(session, filter)) ids.push(id);
  await session.untilSearchable(await removeAll(session, ids));
}

/** Number of memories that are deleted at the same time, so that the log can group their events. */
const atOnce = 32;

/** Deletes them and returns the last position. A memory that another caller has erased meanwhile is gone as well. */
async function removeAll(session: Mem0Session, ids: readonly string[]): Promise<string | undefined> {
  let last: string | undefined;
  for (let start = 0; start < ids.length; start += atOnce) {
    const group = ids.slice(start, start + atOnce);
    const positions = await Promise.all(group.map((memoryId) => removeOne(session, memoryId)));
    last = positions.findLast((position) => position !== undefined) ?? last;
  }
  return last;
}

async function removeOne(session: Mem0Session, memoryId: string): Promise<string | undefined> {
  try {
    return (await session.perform(deleteMemory, { memoryId })).position;
  } catch (error) {
    if (error instanceof Problem && error.code === 'not-found') return undefined;
    throw error;
  }
}
