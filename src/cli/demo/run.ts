import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../../config.ts';
import { call, linesOf, open, type Connection } from '../client.ts';
import { rebuild } from '../projections.ts';
import type { Narrator } from './narrator.ts';
import { readCorpus, readStory, type DemoQuery, type DemoStory } from './story.ts';

/** What the demo found, for programs and for its test. */
export interface DemoFacts {
  readonly stored: number;
  readonly refused: number;
  /** Questions, and how many had a right answer among the first three. */
  readonly asked: number;
  readonly answered: number;
  readonly versions: number;
  readonly asOfShowsBefore: boolean;
  readonly deletedIsGone: boolean;
  readonly rebuilt: number;
  readonly equal: number;
}

interface Memory {
  readonly id: string;
  readonly externalId: string;
  readonly content: string;
  readonly layer: string;
  readonly scope: Record<string, string>;
  readonly accessCount: number;
}

interface SearchAnswer {
  readonly results: { memory: Memory; score: number; rank: number }[];
}

interface Version {
  readonly revision: number;
  readonly type: string;
  readonly at: string;
  readonly actor: string;
  readonly reason?: string;
  readonly changes: Record<string, unknown>;
  readonly position: string;
}

const shownHits = 3;

export async function runDemo(connection: Connection, narrator: Narrator): Promise<DemoFacts> {
  const story = await readStory();
  const loaded = await storeCorpus(connection, narrator);
  const answered = await askQuestions(connection, narrator, story.queries);
  const changed = await changeAndDelete(connection, narrator, story);
  await showAudit(connection, narrator);
  const rebuilt = await rebuildAll(connection, narrator);
  return { ...loaded, asked: story.queries.length, answered, ...changed, ...rebuilt };
}

async function storeCorpus(
  connection: Connection,
  narrator: Narrator,
): Promise<{ stored: number; refused: number }> {
  narrator.chapter('Store a company’s memory');
  const { text, count } = await readCorpus();
  narrator.note(
    'A handbook, the enhancement proposals of Kubernetes, Prometheus and OpenTelemetry, and meeting notes,',
  );
  narrator.note(
    'over the layers company, org, team, project and session (sources and licences: corpus/NOTICE.md).',
  );
  const started = performance.now();
  let position = '';
  const tally = { stored: 0, refused: 0 };
  await narrator.progress('storing', count, async (update) => {
    const response = await open(connection, '/v1/memories/bulk', {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', 'x-reason': 'the demo corpus' },
      body: text,
    });
    for await (const line of linesOf<{ status: number; position?: string }>(response)) {
      if (line.status < 300) tally.stored++;
      else tally.refused++;
      position = line.position ?? position;
      update(tally.stored);
    }
  });
  if (tally.stored === 0)
    throw new ConfigError('--data (STRATALOG_DATA): this folder already holds the demo; use another folder');
  const storedAfter = (performance.now() - started) / 1_000;
  await narrator.progress('embedding on this machine', count, async (update) => {
    while (!(await isSearchable(connection, position))) update(count - (await vectorLag(connection)));
  });
  const seconds = (performance.now() - started) / 1_000;
  narrator.say(
    `   ${tally.stored} memories are events in the log after ${storedAfter.toFixed(1)} s, and searchable by meaning and by word after ${seconds.toFixed(0)} s.`,
  );
  return tally;
}

async function isSearchable(connection: Connection, minPosition: string): Promise<boolean> {
  const body = { query: 'ready', topK: 1, threshold: 1, minPosition, waitMs: 500 };
  try {
    await call(connection, '/v1/search', { method: 'POST', body });
    return true;
  } catch (error) {
    if ((error as { status?: number }).status === 504) return false;
    throw error;
  }
}

async function vectorLag(connection: Connection): Promise<number> {
  const { projections } = await call<{ projections: { name: string; lag: number }[] }>(connection, '/readyz');
  // A memory with an externalId is two events: the claim of the id and the memory.
  return (projections.find(({ name }) => name === 'vectors')?.lag ?? 0) / 2;
}

async function askQuestions(
  connection: Connection,
  narrator: Narrator,
  queries: readonly DemoQuery[],
): Promise<number> {
  narrator.chapter('Ask it');
  narrator.note('The best three of each, as a search without any option shows them; ✓ marks right answers.');
  let answered = 0;
  for (const { query, layers, scope, tags, filter, expect } of queries) {
    const how = [
      ...(layers ? [`layers ${layers.join(', ')}`] : []),
      ...(scope ? Object.entries(scope).map((entry) => entry.join(' ')) : []),
      ...(tags ? [`tags ${tags.join(', ')}`] : []),
      ...(filter === undefined ? [] : [`filter ${JSON.stringify(filter)}`]),
    ];
    narrator.question(query, how.join(' · '));
    const body = { query, layers, scope, tags, filter, topK: shownHits };
    const { results } = await call<SearchAnswer>(connection, '/v1/search', { method: 'POST', body });
    for (const { memory, score, rank } of results) {
      narrator.hit(
        rank,
        score,
        memory.layer,
        placeOf(memory),
        memory.content,
        expect.includes(memory.externalId),
      );
    }
    if (results.length === 0) narrator.note('no result');
    if (results.some(({ memory }) => expect.includes(memory.externalId))) answered++;
  }
  return answered;
}

function placeOf({ layer, scope }: Memory): string {
  return scope[layer] ?? '';
}

async function changeAndDelete(
  connection: Connection,
  narrator: Narrator,
  { story }: DemoStory,
): Promise<Pick<DemoFacts, 'versions' | 'asOfShowsBefore' | 'deletedIsGone'>> {
  narrator.chapter('Change it, and read what it said before');
  const { change } = story;
  const memory = await findByExternalId(connection, change.externalId);
  const path = `/v1/memories/${memory.id}`;
  const { position } = await call<{ position: string }>(connection, path, {
    method: 'PATCH',
    body: { content: change.content },
    headers: { 'if-match': '*', 'x-reason': change.reason },
  });
  narrator.say(`   PATCH with the reason “${change.reason}”`);
  await call<SearchAnswer>(connection, '/v1/search', {
    method: 'POST',
    body: { query: change.query, topK: 1, minPosition: position, waitMs: 30_000 },
  });
  const { items } = await call<{ items: Version[] }>(connection, `${path}/history`);
  for (const { revision, type, at, actor, reason, changes } of items) {
    narrator.say(
      `   revision ${revision}  ${type.padEnd(13)} ${at}  by ${actor}: ${reason ?? ''} (${Object.keys(changes).join(', ')})`,
    );
  }
  const then = await call<Memory>(connection, `${path}?asOf=${items[0]!.position}`);
  const now = await call<Memory>(connection, path);
  narrator.say(`   as of revision 0: “…${excerpt(then.content, change.before)}…”`);
  narrator.say(`   now:              “…${excerpt(now.content, change.after)}…”`);
  const asOfShowsBefore = then.content.includes(change.before) && now.content.includes(change.after);

  narrator.chapter('Delete it');
  const gone = await findByExternalId(connection, story.delete.externalId);
  const deleted = await call<{ memory: { retentionUntil: string }; position: string }>(
    connection,
    `/v1/memories/${gone.id}`,
    {
      method: 'DELETE',
      headers: { 'x-reason': story.delete.reason },
    },
  );
  const { results } = await call<SearchAnswer>(connection, '/v1/search', {
    method: 'POST',
    body: {
      query: story.delete.query,
      minPosition: deleted.position,
      waitMs: 30_000,
    },
  });
  const deletedIsGone = results.every(({ memory }) => memory.id !== gone.id);
  narrator.say(
    `   “${story.delete.query}” ${deletedIsGone ? 'no longer finds it' : 'STILL FINDS IT'}; it can be restored until ${deleted.memory.retentionUntil}.`,
  );
  return { versions: items.length, asOfShowsBefore, deletedIsGone };
}

async function findByExternalId(connection: Connection, externalId: string): Promise<Memory> {
  const { items } = await call<{ items: Memory[] }>(
    connection,
    `/v1/memories?externalId=${encodeURIComponent(externalId)}`,
  );
  if (!items[0]) throw new Error(`the corpus has no memory ${externalId}`);
  return items[0];
}

/** Part of `content` up to the end of `needle`. */
function excerpt(content: string, needle: string): string {
  const at = content.indexOf(needle);
  return at < 0 ? content.slice(0, 60) : content.slice(Math.max(0, at - 30), at + needle.length);
}

async function showAudit(connection: Connection, narrator: Narrator): Promise<void> {
  narrator.chapter('Every access is an event');
  await sleep(1_200);
  const { items } = await call<{
    items: { type: string; at: string; actor: string; data: { results?: unknown[] } }[];
  }>(connection, '/v1/audit/events?type=SearchPerformed&limit=500');
  for (const { type, at, actor, data } of items.slice(-3)) {
    narrator.say(`   ${at}  ${type}  by ${actor}: ${data.results?.length ?? 0} results`);
  }
  const stats = await call<{
    total: { active: number; deleted: number };
    access: { total: number; memories: number };
  }>(connection, '/v1/stats');
  narrator.say(
    `   ${stats.total.active} memories are active and ${stats.total.deleted} deleted; ${stats.access.memories} of them were read ${stats.access.total} times.`,
  );
}

async function rebuildAll(
  connection: Connection,
  narrator: Narrator,
): Promise<Pick<DemoFacts, 'rebuilt' | 'equal'>> {
  narrator.chapter('Rebuild every read model from the log');
  const started = performance.now();
  const results = await rebuild(connection, [], true, false);
  for (const { name, equal, digest } of results) {
    narrator.say(`   ${name.padEnd(11)} ${equal ? 'equal' : 'DIFFERENT'}  ${digest.split(' ')[0]}`);
  }
  const equal = results.filter((result) => result.equal).length;
  narrator.say(
    `   ${equal} of ${results.length} digests are equal, beside live reads, in ${((performance.now() - started) / 1_000).toFixed(1)} s; queries read the new ones now.`,
  );
  return { rebuilt: results.length, equal };
}
