import type { Stratalog } from '../../../packages/client/src/index.ts';
import type { Narrator } from './narrator.ts';
import type { DemoFacts } from './run.ts';
import { findByExternalId, type DemoStory } from './story.ts';

/** Changes a memory, and reads it as it was. */
export async function change(
  client: Stratalog,
  narrator: Narrator,
  { change }: DemoStory['story'],
): Promise<Pick<DemoFacts, 'versions' | 'asOfShowsBefore'>> {
  narrator.chapter(
    'Change a memory, and read what it said before',
    'The company shortens a deadline. The memory is changed, with a reason; then its history is read, the memory as it was, and as it is.',
  );
  const memory = await findByExternalId(client, change.externalId);
  await client.memories.update(memory.id, { content: change.content }, { reason: change.reason });
  const { items } = await client.memories.history(memory.id);
  for (const { revision, type, at, actor, reason } of items)
    narrator.say(`revision ${revision}: ${type} at ${at} by ${actor}. Reason: ${reason ?? 'none'}`);
  const then = await client.memories.get(memory.id, { asOf: items[0]!.position });
  const now = await client.memories.get(memory.id);
  narrator.gap();
  narrator.say('As it was at revision 0:');
  narrator.quote(sentenceWith(then.content, change.before));
  narrator.say('As it is now:');
  narrator.quote(sentenceWith(now.content, change.after));
  narrator.shows(
    'Nothing is overwritten: who changed what, when and why can be read, and every earlier version.',
  );
  return {
    versions: items.length,
    asOfShowsBefore: then.content.includes(change.before) && now.content.includes(change.after),
  };
}

/** Deletes a memory, and asks for it. Returns the search, too. */
export async function remove(
  client: Stratalog,
  narrator: Narrator,
  { delete: { externalId, query, reason } }: DemoStory['story'],
): Promise<Pick<DemoFacts, 'deletedIsGone'> & { readonly searchId: string }> {
  narrator.chapter(
    'Delete a memory',
    'A page is outdated. It is deleted, with a reason, and asked for before and after.',
  );
  const gone = await findByExternalId(client, externalId);
  const finds = async () => {
    const { results, searchId } = await client.search({ query });
    return { searchId, isFound: results.some(({ memory }) => memory.id === gone.id) };
  };
  narrator.question(query);
  const before = await finds();
  narrator.say(`before: ${before.isFound ? 'finds the page' : 'does not find the page'}`);
  const { memory } = await client.memories.delete(gone.id, { reason });
  const after = await finds();
  narrator.say(
    `after:  ${after.isFound ? 'STILL FINDS the page' : 'does not find it any more'}. Reason: ${reason}`,
  );
  narrator.shows(
    `The very next search does without it. It can be restored until ${memory.retentionUntil?.slice(0, 10)}; an erasure instead would destroy its key, for good.`,
  );
  return { deletedIsGone: !after.isFound, searchId: after.searchId };
}

/** The line of a text that holds these words. */
function sentenceWith(content: string, words: string): string {
  return content.split('\n').find((line) => line.includes(words)) ?? content;
}
