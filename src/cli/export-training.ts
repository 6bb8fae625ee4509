import { isProblem, type StoredMemory, type Stratalog } from '../../packages/client/src/index.ts';
import { eventsUpTo } from './export-records.ts';

/** Texts of memories that are kept for the next search. */
const maxKept = 2_000;

/**
 * The lines of a fine-tuning corpus: one for each search that a consenting user made, with its results, which of them were
 * used, the reward and the route. A search of somebody else is left out, and so is a result that is a memory about or by a user
 * who did not consent, that says `training: false` in its metadata, or that can no longer be read. What was erased is therefore never in
 * it. Texts are those of now.
 */
export async function* exportTraining(
  client: Stratalog,
  position: string | undefined,
  consenting: readonly string[],
  counts: Record<string, number>,
): AsyncGenerator<string> {
  const users = new Set(consenting.map((name) => name.replace(/^user:/, '')));
  const memories = new Map<string, StoredMemory | undefined>();
  counts['searches'] = 0;
  for await (const { at, actor, onBehalfOf, data } of eventsUpTo({ client, position }, ['SearchPerformed'])) {
    const user = (onBehalfOf ?? actor).replace(/^user:/, '');
    if (!users.has(user)) continue;
    const searchId = String(data['searchId']);
    const search = await client.audit.search(searchId);
    if (search.request.query === undefined) continue;
    const used = new Set(
      search.outcomes.flatMap(({ kind, memoryIds }) => (kind === 'used' ? (memoryIds ?? []) : [])),
    );
    const results = [];
    for (const { memoryId, rank, relevance, score } of search.results) {
      const memory = await current(client, memories, memoryId);
      if (memory === undefined || !mayTrain(memory, users)) continue;
      results.push({
        id: memoryId,
        rank,
        relevance,
        score,
        content: memory.content,
        used: used.has(memoryId),
      });
    }
    yield `${JSON.stringify({
      searchId,
      at,
      query: search.request.query,
      results,
      used: results.filter((result) => result.used).map(({ id }) => id),
      outcome: search.outcome?.kind,
      reward: search.outcome?.quality,
      route: search.route,
    })}\n`;
    counts['searches']++;
  }
}

/** Whether the user that a memory is about and the user who wrote it have consented, and the memory itself does not forbid it. */
function mayTrain(memory: StoredMemory, users: ReadonlySet<string>): boolean {
  const { scope, metadata, createdBy, state } = memory;
  const writer = createdBy.startsWith('user:') ? createdBy.slice('user:'.length) : undefined;
  const agreed = [scope.user, writer].every((user) => user === undefined || users.has(user));
  return state === 'active' && metadata['training'] !== false && agreed;
}

/** The memory as it is; undefined if it was deleted or erased. */
async function current(
  client: Stratalog,
  kept: Map<string, StoredMemory | undefined>,
  id: string,
): Promise<StoredMemory | undefined> {
  if (kept.has(id)) return kept.get(id);
  const memory = await client.memories.get(id).catch((error: unknown) => {
    if (isProblem(error, 'not-found') || isProblem(error, 'memory-deleted')) return undefined;
    throw error;
  });
  if (kept.size >= maxKept) kept.delete(kept.keys().next().value!);
  kept.set(id, memory);
  return memory;
}
