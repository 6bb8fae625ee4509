import { isProblem, type Stratalog } from '../../../packages/client/src/index.ts';
import { ConfigError } from '../../config.ts';
import type { Narrator } from './narrator.ts';
import type { DemoFacts } from './run.ts';
import { readCorpus } from './story.ts';

/** Stores the corpus, and resolves when all of it can be found. */
export async function storeCorpus(
  client: Stratalog,
  narrator: Narrator,
): Promise<Pick<DemoFacts, 'stored' | 'refused'>> {
  const { text, count } = await readCorpus();
  narrator.chapter(
    'Store a company’s memory',
    `${count} real texts: a company’s handbook, the enhancement proposals of Kubernetes, Prometheus and OpenTelemetry, guides of their teams, and notes of meetings (sources and licences: corpus/NOTICE.md). Each text is a memory of one layer: company, org, team, project or session. One request stores all; then the bundled model embeds them on this machine, so that they can be found by meaning.`,
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
  const storedAfter = secondsSince(started);
  await narrator.progress('embedding', count, async (update) => {
    while (!(await isSearchable(client, position))) update(count - (await vectorLag(client)));
  });
  narrator.say(`${tally.stored} memories stored, synced to disk, in ${storedAfter.toFixed(1)} s.`);
  narrator.say(`All found by word and by meaning after ${secondsSince(started).toFixed(0)} s.`);
  narrator.shows(
    'A store is durable when it is acknowledged. Making it searchable takes longer, and nobody has to wait for it.',
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
  const vectors = projections.find(({ name }) => name === 'vectors');
  // A memory with an externalId is two events: the claim of the id and the memory.
  return (vectors && 'lag' in vectors ? vectors.lag : 0) / 2;
}

const secondsSince = (started: number): number => (performance.now() - started) / 1_000;
