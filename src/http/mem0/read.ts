import { z } from 'zod';
import { getMemory } from '../../api/memories/get-memory.ts';
import { listMemories } from '../../api/memories/list-memories.ts';
import { search } from '../../api/search/search.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import { Problem } from '../../domain/problems.ts';
import { conditionsOf, readFields } from './fields.ts';
import { mem0Memory, withFields } from './memory.ts';
import { pageOf, pageQuery } from './pages.ts';
import type { RecentSearches } from './recent-searches.ts';
import { bodyOf, type Handler } from './request.ts';
import type { Mem0Session } from './session.ts';
import { timeOf } from './times.ts';

/** `GET /v1/memories/{id}/` */
export const get: Handler = async ({ params, session }) => {
  const memoryId = params['id']!;
  const acting = await session.forMemory(memoryId);
  return mem0Memory(await activeMemory(acting, memoryId));
};

/** Throws `not-found` for a deleted memory as for an unknown one: to mem0 they are the same. */
export async function activeMemory(session: Mem0Session, memoryId: string): Promise<MemoryView> {
  const memory = await session.perform(getMemory, { memoryId });
  if (memory.state === 'deleted') throw new Problem('not-found', 'no such memory');
  return memory;
}

/** Memories read at a time. */
const batch = 500;

/** Every memory that matches a filter, newest first. */
export async function* allMemories(session: Mem0Session, filter?: JsonObject): AsyncGenerator<MemoryView> {
  let cursor: string | undefined;
  do {
    const page: { readonly items: readonly MemoryView[]; readonly nextCursor?: string | undefined } =
      await session.perform(listMemories, {
        limit: batch,
        ...(filter && { filter }),
        ...(cursor !== undefined && { cursor }),
      });
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

const listBody = z.looseObject(readFields);

/** `POST /v3/memories/`: a page of all memories that match, newest first. */
export const list: Handler = async (request) => {
  const { query, url } = request;
  const asked = await bodyOf(request, listBody);
  const conditions = conditionsOf(asked);
  const session = request.session.inNameOfUsers(conditions);
  const page = pageQuery(query);
  const shown = await pageOf(allMemories(session, conditions.filter), page, url);
  return {
    ...shown,
    results: shown.results.map((memory) => withFields(mem0Memory(memory), asked.fields ?? undefined)),
  };
};

const searchBody = z.looseObject({
  ...readFields,
  query: search.input.shape.query,
  top_k: search.input.shape.topK.nullish(),
  threshold: search.input.shape.threshold.nullish(),
  reference_date: z.union([z.string(), z.number()]).nullish(),
});

/** `POST /v3/memories/search/`: the results of a search of Stratalog among the memories that match. */
export function searching(recent: RecentSearches): Handler {
  return async (request) => {
    const {
      query,
      top_k: topK,
      threshold,
      reference_date: date,
      ...asked
    } = await bodyOf(request, searchBody);
    const conditions = conditionsOf(asked);
    const session = request.session.inNameOfUsers(conditions);
    const { results, searchId } = await session.perform(search, {
      query,
      content: 'whole',
      filter: conditions.filter,
      ...(topK != null && { topK }),
      ...(threshold != null && { threshold }),
      ...(asked.latest_only && { includeSuperseded: false }),
      ...(date != null && { now: timeOf(date, 'reference_date') }),
    });
    recent.remember(
      session.caller,
      results.map(({ memory }) => memory.id),
      searchId,
    );
    return {
      results: results.map(({ memory, score }) => ({
        ...withFields(mem0Memory(memory), asked.fields ?? undefined),
        score,
      })),
      search_id: searchId,
    };
  };
}
