import type { MemoryView } from '../../domain/memory/view.ts';
import { entityKeys, entityTypes } from './entities.ts';
import { pageOf, pageQuery } from './pages.ts';
import { allMemories } from './read.ts';
import type { Handler } from './request.ts';

interface Entity {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly total_memories: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** `GET /v1/entities/`: the users, agents, runs and apps that the caller's memories name. Reads them all. */
export const listEntities: Handler = async ({ query, url, session }) => {
  const entities = new Map<string, Entity>();
  for await (const memory of allMemories(session)) count(memory, entities);
  const size = query['page_size'] ?? Math.max(1, entities.size);
  return pageOf(entities.values(), pageQuery({ ...query, page_size: size }), url);
};

function count({ scope, createdAt, updatedAt }: MemoryView, entities: Map<string, Entity>): void {
  for (const [type, field] of Object.entries(entityTypes)) {
    const name = scope[entityKeys[field]];
    if (name === undefined) continue;
    const key = JSON.stringify([type, name]);
    const known = entities.get(key);
    entities.set(key, {
      id: name,
      name,
      type,
      total_memories: (known?.total_memories ?? 0) + 1,
      created_at: known && known.created_at < createdAt ? known.created_at : createdAt,
      updated_at: known && known.updated_at > updatedAt ? known.updated_at : updatedAt,
    });
  }
}
