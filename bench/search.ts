// Hybrid search through HTTP against the sum of its two bare index queries on the same tables.
import { deterministicEmbedder } from '../src/adapters/deterministic/embedder.ts';
import type { Benchmark, BenchmarkOptions } from './support/benchmark.ts';
import { BareIndexes } from './support/bare-indexes.ts';
import type { HttpClient, Json } from './support/http.ts';
import { adminOf, withLoaded } from './support/loaded.ts';
import { kinds } from './support/memories.ts';
import { Program } from './support/program.ts';
import type { Report } from './support/report.ts';
import { percentile } from './support/statistics.ts';

const queryCount = 200;
const topK = 10;
const knownItems = 50;
const recallSample = 50;

interface Variant {
  readonly name: string;
  readonly request: Readonly<Record<string, unknown>>;
  /** Whether a result is one that the request allows. */
  readonly allows: (memory: Json) => boolean;
}

const plain: Variant = { name: 'all', request: {}, allows: () => true };
const variants: readonly Variant[] = [
  plain,
  {
    name: 'metadata filter, 1 in 10',
    request: { filter: { 'metadata.kind': { eq: kinds[1]! } } },
    allows: (memory) => memory.metadata.kind === kinds[1],
  },
  {
    name: 'one team, 1 in 170',
    request: { layers: ['team'], scope: { team: 'team7' } },
    allows: (memory) => memory.layer === 'team' && memory.scope.team === 'team7',
  },
];

export const search: Benchmark = {
  name: 'search',
  about: 'search in one tenant at three sizes, without the embedding of the query, against its two bare index queries',
  async run(options, report) {
    for (const size of [options.memories / 100, options.memories / 10, options.memories]) {
      if (size >= 100) await measure(Math.floor(size), options, report);
    }
    report.note(
      'vectors of memories and queries come from the deterministic embedder (hashed words): they tell nothing of the quality of retrieval; embedding a query takes 0.1 ms or less',
    );
    report.note(`${queryCount} queries one after another, run once before, topK ${topK}, threshold 0`);
  },
};

async function measure(size: number, options: BenchmarkOptions, report: Report): Promise<void> {
  const { source } = options;
  const queries = Array.from({ length: queryCount }, (_, index) => source.query(index, size));
  await withLoaded(source, size, async (dataDir, { rate }) => {
    const label = size.toLocaleString('en-US');
    report.note(`${label} memories were loaded with ${rate.toFixed(0)}/s, read models caught up`);
    const program = await Program.start({ dataDir, embedder: 'deterministic', profile: options.profile });
    const client = await adminOf(program);
    const times = new Map<string, number[]>();
    for (const variant of variants) {
      times.set(variant.name, await timeSearches(client, queries, variant, `${label}, ${variant.name}`, report));
    }
    await checkKnownItems(client, size, options, label, report);
    client.close();
    await program.caughtUp();
    await program.stop();

    const bare = await BareIndexes.open(dataDir);
    const vectors = await deterministicEmbedder({ dimension: 384 }).embed(queries, 'query');
    const sums = await bare.time(queries, vectors);
    await checkRecall(bare, vectors, label, report);
    await bare.close();
    figures(label, times, sums, report);
  });
}

function figures(label: string, times: ReadonlyMap<string, number[]>, sums: number[], report: Report): void {
  for (const [name, values] of times) {
    const isPlain = name === plain.name;
    report.figure({ name: `${label}, ${name}, p50`, value: percentile(values, 0.5), unit: 'ms', ...(isPlain && { baseline: { name: 'both indexes', value: percentile(sums, 0.5) } }) });
    const p95 = { name: `${label}, ${name}, p95`, value: percentile(values, 0.95), unit: 'ms' };
    if (!isPlain) {
      report.figure({ ...p95, target: { of: 'value', most: 100 } });
      continue;
    }
    const baseline = { name: 'both indexes', value: percentile(sums, 0.95) };
    report.figure({ ...p95, baseline, target: { of: 'ratio', most: 2 } });
    report.figure({ ...p95, name: `${p95.name} alone`, target: { of: 'value', most: 100 } });
  }
}

async function timeSearches(
  client: HttpClient,
  queries: readonly string[],
  { request, allows }: Variant,
  label: string,
  report: Report,
): Promise<number[]> {
  const times: number[] = [];
  let full = 0;
  let allowed = true;
  for (const round of ['first', 'measured']) {
    for (const query of queries) {
      const start = performance.now();
      const { results } = await client.expect(200, 'POST', '/v1/search', { query, topK, threshold: 0, ...request });
      if (round === 'first') continue;
      times.push(performance.now() - start);
      const found = results as { memory: Json }[];
      if (found.length === topK) full++;
      allowed &&= found.every(({ memory }) => allows(memory));
    }
  }
  report.check(`${label}: every result is one that the request allows`, allowed);
  report.check(`${label}: topK results each`, full === queries.length, `${full} of ${queries.length}`);
  return times;
}

/** A memory's own first words must find it among 10. */
async function checkKnownItems(
  client: HttpClient,
  size: number,
  { source }: BenchmarkOptions,
  label: string,
  report: Report,
): Promise<void> {
  let found = 0;
  for (let n = 0; n < knownItems; n++) {
    const serial = Math.floor((n * size) / knownItems);
    const query = source.memory(serial).content.split(' ').slice(0, 25).join(' ');
    const { results } = await client.expect(200, 'POST', '/v1/search', { query, topK, threshold: 0 });
    if ((results as { memory: Json }[]).some(({ memory }) => memory.metadata.serial === serial)) found++;
  }
  report.check(`${label}: a memory is found by its first 25 words`, found === knownItems, `${found} of ${knownItems}`);
}

async function checkRecall(
  bare: BareIndexes,
  vectors: readonly Float32Array[],
  label: string,
  report: Report,
): Promise<void> {
  let kept = 0;
  let wanted = 0;
  for (const vector of vectors.slice(0, recallSample)) {
    const exact = await bare.nearest(vector, 10, 'exact');
    const approximate = new Set((await bare.nearest(vector, 100, 'index')).slice(0, 10));
    wanted += exact.length;
    kept += exact.filter((id) => approximate.has(id)).length;
  }
  const recall = kept / wanted;
  report.check(`${label}: recall@10 of the HNSW index against exact is at least .9`, recall >= 0.9, recall.toFixed(3));
}
