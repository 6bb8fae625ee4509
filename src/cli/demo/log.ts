import {
  isProblem,
  type AuditedSearch,
  type AuditEvent,
  type Stratalog,
} from '../../../packages/client/src/index.ts';
import { pause } from '../../support/pause.ts';
import { rebuild } from '../projections.ts';
import type { Narrator } from './narrator.ts';
import type { DemoFacts } from './run.ts';
import { findByExternalId } from './story.ts';

const pollMs = 100;
/** Only a record that was lost takes this long. */
const patienceMs = 120_000;

/** Shows what the log says about a memory, once it has the last search. */
export async function showAudit(
  client: Stratalog,
  narrator: Narrator,
  { externalId, lastSearch }: { readonly externalId: string; readonly lastSearch: string },
): Promise<void> {
  narrator.chapter(
    'See who did what with a memory',
    'Reads are events too. This is all that happened to the page about expenses, as an auditor reads it.',
  );
  await recorded(client, lastSearch);
  const { id } = await findByExternalId(client, externalId);
  for await (const event of client.audit.events({ memory: id })) {
    const what = await described(client, event);
    if (what !== undefined) narrator.say(`${event.at.slice(11, 19)} ${event.actor} ${what}`);
  }
  const { total, access } = await client.stats();
  narrator.gap();
  narrator.say(
    `In all, ${access.memories} of ${total.active + total.deleted} memories were read, ${access.total} times.`,
  );
  narrator.shows('Every read can be accounted for: when, by whom, and for which question.');
}

/** What an event did to a memory, in words; undefined if it says nothing about its content. */
async function described(client: Stratalog, { type, reason, data }: AuditEvent): Promise<string | undefined> {
  const { how, searchId, what } = data as { how?: string; searchId?: string; what?: string };
  switch (type) {
    case 'MemoryStored':
      return `stored it (${reason})`;
    case 'MemoryUpdated':
      return `changed it (${reason})`;
    case 'MemoriesAccessed': {
      const { request } = await recorded(client, searchId!);
      return `read it in the ${how === 'context' ? 'context' : 'search'} “${request.query}”`;
    }
    case 'AuditRead':
      return `read its ${what?.replace('memory ', '')}`;
    default:
      return undefined;
  }
}

/** The record of a search, which is in the log a moment after its answer. */
export async function recorded(client: Stratalog, searchId: string): Promise<AuditedSearch> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return await client.audit.search(searchId);
    } catch (error) {
      if (!isProblem(error, 'not-found') || performance.now() > deadline) throw error;
      await pause(pollMs);
    }
  }
}

/** Rebuilds every read model and compares it with the live one. */
export async function rebuildAll(
  client: Stratalog,
  narrator: Narrator,
): Promise<Pick<DemoFacts, 'rebuilt' | 'equal'>> {
  narrator.chapter(
    'Rebuild everything from the log',
    'The log of events is the truth; what queries read (tables, vectors, word indexes) is made from it. All of it is made again beside the live one while the server answers, and compared by a checksum over all rows.',
  );
  const started = performance.now();
  const results = await rebuild(client, [], true, false);
  const equal = results.filter((result) => result.equal);
  const differing = results.filter((result) => !result.equal);
  narrator.say(`equal: ${equal.map(({ name }) => name).join(', ')}`);
  if (differing.length > 0) narrator.say(`DIFFERENT: ${differing.map(({ name }) => name).join(', ')}`);
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  narrator.shows(
    `${equal.length} of ${results.length} read models came out the same, in ${seconds} s, and queries read the new ones now. So a read model can be repaired, changed or given another embedding model at any time, and nothing is lost with it.`,
  );
  return { rebuilt: results.length, equal: equal.length };
}
