// Turns memories of mem0 into lines for `stratalog import`:
//   node mem0.mjs memories.json | npx stratalog import --upsert -
// The file has what `get_all` of mem0 answers, as a list, as {"results": [...]}, or one memory a line. Entities go where
// /compat/mem0 puts them: docs/guides/mem0.md.
import { readExport, writeLines } from './lines.mjs';

const { user, value } = await readExport();
const memories = Array.isArray(value) ? value : (value?.results ?? [value]);
await writeLines(memories.map(memoryOf));

function memoryOf(memory, index) {
  const { id, memory: content, metadata, categories, created_at: createdAt } = memory ?? {};
  if (typeof id !== 'string' || typeof content !== 'string')
    throw new Error(`memory ${index + 1} has no id, or no text in "memory"`);
  const scope = Object.fromEntries(
    Object.entries({
      agent: memory.agent_id,
      user: memory.user_id ?? user,
      session: memory.run_id,
      project: memory.app_id,
    }).filter(([, name]) => name !== undefined && name !== null),
  );
  const expiration = memory.expiration_date;
  return {
    content,
    // The first one given is the most specific.
    layer: Object.keys(scope)[0] ?? 'user',
    scope,
    tags: categories ?? [],
    metadata: { ...metadata, ...(expiration && { mem0_expiration_date: expiration }) },
    externalId: `mem0/${id}`,
    ...(createdAt && { occurredAt: new Date(createdAt).toISOString() }),
  };
}
