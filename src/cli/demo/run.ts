import { setTimeout as sleep } from 'node:timers/promises';
import { isProblem, type Stratalog, type StoredMemory } from '../../../packages/client/src/index.ts';
import { ConfigError } from '../../config.ts';
import { rebuild } from '../projections.ts';
import type { Narrator } from './narrator.ts';
import { writeContext } from './context.ts';
import { showLearning, type LearningFacts } from './learning.ts';
import { readCorpus, readStory, type DemoQuery, type DemoStory } from './story.ts';

/** What the demo found, for programs and for its test. */
export interface DemoFacts {
  readonly stored: number;
  readonly refused: number;
  /** Questions, and how many had a right answer among the first three. */
  readonly asked: number;
  readonly answered: number;
  /** Tokens of the context, and the memories in it. */
  readonly contextTokens: number;
  readonly contextSources: number;
  /** Whether there is a summary of the company. */
  readonly hasSummary: boolean;
  readonly versions: number;
  readonly asOfShowsBefore: boolean;
  readonly deletedIsGone: boolean;
  readonly learning: LearningFacts;
  readonly rebuilt: number;
  readonly equal: number;
}

const shownHits = 3;

export async function runDemo(client: Stratalog, narrator: Narrator): Promise<DemoFacts> {
  const story = await readStory();
  const loaded = await storeCorpus(client, narrator);
  const answered = await askQuestions(client, narrator, story.queries);
  const written = await writeContext(client, narrator, story.queries);
  const changed = await changeAndDelete(client, narrator, story);
  await showAudit(client, narrator);
  const learning = await showLearning(client, narrator);
  const rebuilt = await rebuildAll(client, narrator);
  return { ...loaded, asked: story.queries.length, answered, ...written, ...changed, learning, ...rebuilt };
}

async function storeCorpus(
  client: Stratalog,
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
    for await (const line of client.memories.bulk(text, { reason: 'the demo corpus' })) {
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
    while (!(await isSearchable(client, position))) update(count - (await vectorLag(client)));
  });
  const seconds = (performance.now() - started) / 1_000;
  narrator.say(
    `   ${tally.stored} memories are events in the log after ${storedAfter.toFixed(1)} s, and searchable by meaning and by word after ${seconds.toFixed(0)} s.`,
  );
  return tally;
}

async function isSearchable(client: Stratalog, minPosition: string): Promise<boolean> {
  try {
    await client.search({ query: 'ready', topK: 1, threshold: 1, minPosition, waitMs: 500 });
    return true;
  } catch (error) {
    if (isProblem(error, 'position-timeout')) return false;
    throw error;
  }
}

async function vectorLag(client: Stratalog): Promise<number> {
  const { projections } = await client.readiness();
  // A memory with an externalId is two events: the claim of the id and the memory.
  return (projections.find(({ name }) => name === 'vectors')?.lag ?? 0) / 2;
}

async function askQuestions(
  client: Stratalog,
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
    const { results } = await client.search({ query, layers, scope, tags, filter, topK: shownHits });
    for (const { memory, score, rank } of results) {
      narrator.hit(
        rank,
        score,
        memory.layer,
        placeOf(memory),
        memory.content,
        expect.includes(memory.externalId ?? ''),
      );
    }
    if (results.length === 0) narrator.note('no result');
    if (results.some(({ memory }) => expect.includes(memory.externalId ?? ''))) answered++;
  }
  return answered;
}

function placeOf({ layer, scope }: StoredMemory): string {
  return scope[layer] ?? '';
}

async function changeAndDelete(
  client: Stratalog,
  narrator: Narrator,
  { story }: DemoStory,
): Promise<Pick<DemoFacts, 'versions' | 'asOfShowsBefore' | 'deletedIsGone'>> {
  narrator.chapter('Change it, and read what it said before');
  const { change } = story;
  const memory = await findByExternalId(client, change.externalId);
  await client.memories.update(memory.id, { content: change.content }, { reason: change.reason });
  narrator.say(`   PATCH with the reason “${change.reason}”`);
  await client.search({ query: change.query, topK: 1 });
  const { items } = await client.memories.history(memory.id);
  for (const { revision, type, at, actor, reason, changes } of items) {
    narrator.say(
      `   revision ${revision}  ${type.padEnd(13)} ${at}  by ${actor}: ${reason ?? ''} (${Object.keys(changes).join(', ')})`,
    );
  }
  const then = await client.memories.get(memory.id, { asOf: items[0]!.position });
  const now = await client.memories.get(memory.id);
  narrator.say(`   as of revision 0: “…${excerpt(then.content, change.before)}…”`);
  narrator.say(`   now:              “…${excerpt(now.content, change.after)}…”`);
  const asOfShowsBefore = then.content.includes(change.before) && now.content.includes(change.after);

  narrator.chapter('Delete it');
  const gone = await findByExternalId(client, story.delete.externalId);
  const deleted = await client.memories.delete(gone.id, { reason: story.delete.reason });
  const { results } = await client.search({ query: story.delete.query });
  const deletedIsGone = results.every(({ memory }) => memory.id !== gone.id);
  narrator.say(
    `   “${story.delete.query}” ${deletedIsGone ? 'no longer finds it' : 'STILL FINDS IT'}; it can be restored until ${deleted.memory.retentionUntil}.`,
  );
  return { versions: items.length, asOfShowsBefore, deletedIsGone };
}

async function findByExternalId(client: Stratalog, externalId: string): Promise<StoredMemory> {
  const { items } = await client.memories.list({ externalId });
  if (!items[0]) throw new Error(`the corpus has no memory ${externalId}`);
  return items[0];
}

/** Part of `content` up to the end of `needle`. */
function excerpt(content: string, needle: string): string {
  const at = content.indexOf(needle);
  return at < 0 ? content.slice(0, 60) : content.slice(Math.max(0, at - 30), at + needle.length);
}

async function showAudit(client: Stratalog, narrator: Narrator): Promise<void> {
  narrator.chapter('Every access is an event');
  await sleep(1_200);
  const { items } = await client.audit.events({ type: ['SearchPerformed'], limit: 500 });
  for (const { type, at, actor, data } of items.slice(-3)) {
    const { results = [] } = data as { results?: unknown[] };
    narrator.say(`   ${at}  ${type}  by ${actor}: ${results.length} results`);
  }
  const stats = await client.stats();
  narrator.say(
    `   ${stats.total.active} memories are active and ${stats.total.deleted} deleted; ${stats.access.memories} of them were read ${stats.access.total} times.`,
  );
}

async function rebuildAll(
  client: Stratalog,
  narrator: Narrator,
): Promise<Pick<DemoFacts, 'rebuilt' | 'equal'>> {
  narrator.chapter('Rebuild every read model from the log');
  const started = performance.now();
  const results = await rebuild(client, [], true, false);
  for (const { name, equal, digest } of results) {
    narrator.say(`   ${name.padEnd(11)} ${equal ? 'equal' : 'DIFFERENT'}  ${digest.split(' ')[0]}`);
  }
  const equal = results.filter((result) => result.equal).length;
  narrator.say(
    `   ${equal} of ${results.length} digests are equal, beside live reads, in ${((performance.now() - started) / 1_000).toFixed(1)} s; queries read the new ones now.`,
  );
  return { rebuilt: results.length, equal };
}
