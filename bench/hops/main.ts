// Measures the benefit of hops for questions that name a memory which in turn names the answer. See README.md.
import { parseArgs } from 'node:util';
import { readDataSet, type Memory } from '../ranking/datasets.ts';
import { mean } from '../ranking/metrics.ts';
import { withScratch } from '../support/folders.ts';
import type { HttpClient, Json } from '../support/http.ts';
import { Program } from '../support/program.ts';
import { TwoHops, type TwoHopQuestion } from './questions.ts';

const sizes = [10, 50] as const;

interface Way {
  readonly name: string;
  readonly path: string;
  readonly body: Json;
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string' },
      thresholds: { type: 'string', default: '.01,.02,.05,.1' },
      links: { type: 'boolean', default: false },
    },
  });
  if (values.data === undefined)
    throw new Error('usage: main.ts --data DIR [--thresholds .02,.05] [--links]');
  const { memories } = await readDataSet(values.data, 'orgmem');
  const own = memories.filter(({ id }) => id.startsWith('kep:'));
  const hops = new TwoHops(own);
  const ways = [
    { name: 'search', path: '/v1/search', body: { threshold: 0, order: 'relevance', mode: 'standard' } },
    { name: 'search, routed', path: '/v1/search', body: { threshold: 0, order: 'relevance' } },
    ...values.thresholds.split(',').map((text) => ({
      name: `hops from ${text}`,
      path: '/v1/reasoning/multi-hop',
      body: { pathThreshold: Number(text) },
    })),
  ];
  await withScratch(async (dataDir) => {
    const program = await Program.start({ dataDir, embedder: 'onnx' });
    try {
      const client = await program.client({ tenant: 'cncf', role: 'admin' });
      const ids = await load(client, own);
      if (values.links) await link(client, hops, ids);
      await untilSearchable(client);
      for (const way of ways) await measure(client, hops.questions, way);
    } finally {
      await program.stop();
    }
  });
}

/** Returns the ids of memories by the data set's ids. */
async function load(client: HttpClient, memories: readonly Memory[]): Promise<Map<string, string>> {
  const lines = await client.bulk(memories.map(bodyOf));
  const wrong = lines.find(({ status }) => status !== 201);
  if (wrong) throw new Error(`not stored: ${JSON.stringify(wrong)}`);
  return new Map(lines.map(({ externalId, id }) => [externalId, id]));
}

function bodyOf({ id, text, layer, scope, metadata = {}, timestamp }: Memory & { layer?: string }): Json {
  const { tenant: _, ...identifiers } = scope;
  const occurredAt = timestamp === undefined ? undefined : new Date(timestamp).toISOString();
  return { content: text, layer, scope: identifiers, metadata, externalId: id, occurredAt };
}

/** Creates links for the references that the records make by name. */
async function link(client: HttpClient, hops: TwoHops, ids: ReadonlyMap<string, string>): Promise<void> {
  for (const { from, to } of hops.references)
    await client.expect(200, 'PUT', `/v1/memories/${ids.get(from)}/links/related/${ids.get(to)}`, {
      confidence: 0.9,
    });
}

/** Long enough for a busy machine. */
async function untilSearchable(client: HttpClient): Promise<void> {
  const last = { content: 'the last memory', layer: 'company' };
  const { position } = await client.expect(201, 'POST', '/v1/memories', last);
  const asked = { query: 'ready', minPosition: position, waitMs: 30_000 };
  while ((await client.send('POST', '/v1/search', asked)).status === 504);
}

async function measure(client: HttpClient, questions: readonly TwoHopQuestion[], way: Way): Promise<void> {
  const recalls = new Map(sizes.map((size) => [size, [] as number[]]));
  const times: number[] = [];
  for (const { query, gold } of questions) {
    const started = performance.now();
    const asked = { query, topK: Math.max(...sizes) * 2, ...way.body };
    const { results } = await client.expect(200, 'POST', way.path, asked);
    times.push(performance.now() - started);
    const documents = [...new Set((results as Json[]).map(({ memory }) => String(memory.metadata.doc)))];
    for (const size of sizes) {
      const found = documents.slice(0, size).filter((document) => gold.has(document)).length;
      recalls.get(size)!.push(found / gold.size);
    }
  }
  const figures = sizes.map((size) => `recall@${size} ${mean(recalls.get(size)!).toFixed(3)}`).join('  ');
  const median = times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!;
  console.log(
    `${way.name.padEnd(18)} ${questions.length} questions  ${figures}  median ${median.toFixed(0)} ms`,
  );
}
