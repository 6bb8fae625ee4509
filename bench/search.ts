// Hybrid search through HTTP, compared with the sum of its two bare index queries on the same tables.
import { setTimeout as sleep } from 'node:timers/promises';
import { deterministicEmbedder } from '../src/adapters/deterministic/embedder.ts';
import { FlatIndex } from '../src/adapters/flat/flat-index.ts';
import { openPglite } from '../src/adapters/pglite/open.ts';
import { inDatabaseLimit } from '../src/domain/retrieval/exact-scan-limit.ts';
import { vectorTable } from '../src/read-models/vectors/tables.ts';
import type { Sql } from '../src/ports/sql.ts';
import type { VectorIndex } from '../src/ports/vector-index.ts';
import { embedAll, openModel } from './ranking/embed.ts';
import { timeBareIndexes, type QueryVectors } from './support/bare-indexes.ts';
import type { Benchmark, BenchmarkOptions } from './support/benchmark.ts';
import type { HttpClient, Json } from './support/http.ts';
import { adminOf, tenant, withLoaded } from './support/loaded.ts';
import type { MemorySource } from './support/memories.ts';
import { Program } from './support/program.ts';
import { RealMemories } from './support/real-memories.ts';
import { denseRecall } from './support/recall.ts';
import type { Report } from './support/report.ts';
import { standard, timeSearches, topK } from './support/searches.ts';
import { percentile, timed } from './support/statistics.ts';
import { oneTeam, plain, variantsOf, type Variant } from './support/variants.ts';

const queryCount = 200;
const warmUp = 1_000;
const filteredQueryCount = 50;
const asOfQueryCount = 10;
/** How many memories a search as of a position may scan. */
const asOfLimit = 10_000;
const knownItems = 50;
const recallSample = 100;

export const search: Benchmark = {
  name: 'search',
  about:
    'search in one tenant at three sizes, without the embedding of the query, against its two bare index queries',
  async run({ data, ...given }, report) {
    const real = data === undefined ? undefined : await RealMemories.read(data);
    const memories = Math.min(given.memories, real?.size ?? Infinity);
    const options = { ...given, data, memories, source: real ?? given.source };
    for (const size of [options.memories / 100, options.memories / 10, options.memories]) {
      if (size >= 100) await measure(Math.floor(size), options, report);
    }
    if (!real) {
      report.note(
        'vectors come from the deterministic embedder (hashed words), which embeds a query in .1 ms: nothing here tells of the quality of retrieval, and less is found among them than among real vectors: --data names some',
      );
    }
    report.note(
      `${queryCount} queries, filtered ${filteredQueryCount}, one after another, after a thousand others, filtered ones each run once before; topK ${topK}, threshold 0`,
    );
  },
};

async function measure(size: number, options: BenchmarkOptions, report: Report): Promise<void> {
  const { source, profile } = options;
  const variants = variantsOf(size);
  const queries = Array.from({ length: queryCount }, (_, index) => source.query(index, size));
  await withLoaded(source, size, async (dataDir, { rate }) => {
    const label = size.toLocaleString('en-US');
    report.note(`${label} memories were loaded with ${rate.toFixed(0)}/s, read models caught up`);
    const program = await Program.start({ dataDir, embedder: source.embedder, profile });
    const client = await adminOf(program);
    // After an upgrade the read models are rebuilt first, which slows searches down.
    await program.caughtUp();
    const times: (readonly [Variant, number[]])[] = [];
    for (const variant of variants) {
      const expected = Math.min(topK, countAllowed(size, options, variant));
      const asked = variant === plain ? queries : queries.slice(0, filteredQueryCount);
      const before = variant === plain ? warmUp : 0;
      times.push([variant, await timeSearches(program, asked, variant, expected, label, report, before)]);
    }
    await checkKnownItems(client, size, options, label, report);
    await measureAsOf(client, size, queries.slice(0, asOfQueryCount), label, report);
    client.close();
    await program.caughtUp();
    await program.stop();

    const sql = await openPglite({ dataDir });
    const vectors = await vectorsOf(source, queries);
    const bare = await timeBareIndexes(sql, queries, vectors);
    const index = await inMemory(sql, size, vectors.id);
    const sample = { ...vectors, vectors: vectors.vectors.slice(0, recallSample) };
    for (const { name, restrictions } of variants) {
      const recall = await denseRecall(sql, index, sample, restrictions);
      // In a small collection a selective filter may match nothing.
      if (Number.isNaN(recall)) continue;
      report.figure({
        name: `${label}, ${name}, recall@10 of the nearest`,
        value: recall,
        unit: 'of exact',
        ...(restrictions !== plain.restrictions && { target: { of: 'value', least: 0.98 } }),
      });
    }
    await index.close();
    await sql.close();
    for (const [variant, values] of times)
      figures(`${label}, ${variant.name}`, variant, values, bare, report);
  });
}

/** Loads the vectors into RAM as the server does. Resolves when they are loaded. */
async function inMemory(sql: Sql, size: number, modelId: string): Promise<VectorIndex> {
  const index = new FlatIndex(sql, {
    loadAbove: inDatabaseLimit,
    mostBytes: Infinity,
    onError: (error) => {
      throw error;
    },
  });
  await index.start();
  const set = { tenant, table: vectorTable(modelId) };
  while (size > inDatabaseLimit && !(await index.has(set))) await sleep(100);
  return index;
}

async function vectorsOf({ embedder }: MemorySource, queries: readonly string[]): Promise<QueryVectors> {
  if (embedder === 'deterministic') {
    const model = deterministicEmbedder({ dimension: 384 });
    return { id: model.model.id, vectors: await model.embed(queries, 'query') };
  }
  const model = await openModel();
  const vectors = await embedAll(model, queries, 'query', 'search');
  await model.close();
  return { id: model.embedder.model.id, vectors };
}

function figures(
  label: string,
  variant: Variant,
  times: readonly number[],
  bare: readonly number[],
  report: Report,
): void {
  const baseline = (p: number) => ({ baseline: { name: 'both indexes', value: percentile(bare, p) } });
  const p95 = { name: `${label}, p95`, value: percentile(times, 0.95), unit: 'ms' };
  report.figure({ name: `${label}, p50`, value: percentile(times, 0.5), unit: 'ms', ...baseline(0.5) });
  if (variant !== plain) return report.figure({ ...p95, ...baseline(0.95) });
  report.figure({ ...p95, ...baseline(0.95), target: { of: 'ratio', most: 2 } });
  report.figure({ ...p95, target: { of: 'value', most: 100 } });
}

function countAllowed(size: number, { source }: BenchmarkOptions, { allows }: Variant): number {
  let count = 0;
  for (let index = 0; index < size && count < topK; index++) if (allows(source.memory(index))) count++;
  return count;
}

/** Checks that a search for the first words of a memory returns it among the first 10. */
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
  report.check(
    `${label}: a memory is found by its first 25 words`,
    found === knownItems,
    `${found} of ${knownItems}`,
  );
}

/** Checks that a search as of the current position finds the same. Without restrictions there may be too much to scan. */
async function measureAsOf(
  client: HttpClient,
  size: number,
  queries: readonly string[],
  label: string,
  report: Report,
): Promise<void> {
  const ask = (query: string, more: object) =>
    client.expect(200, 'POST', '/v1/search', {
      query,
      topK,
      threshold: 0,
      ...standard,
      ...oneTeam.restrictions,
      ...more,
    });
  const ids = ({ results }: Json) => (results as { memory: Json }[]).map(({ memory }) => memory.id);
  const times: number[] = [];
  let same = 0;
  for (const query of queries) {
    const now = await ask(query, {});
    const { result, ms } = await timed(() => ask(query, { asOf: now.position }));
    times.push(ms);
    if (JSON.stringify(ids(result)) === JSON.stringify(ids(now))) same++;
  }
  report.figure({
    name: `${label}, one team as of a position, p50`,
    value: percentile(times, 0.5),
    unit: 'ms',
  });
  report.check(
    `${label}: as of now the same is found`,
    same === queries.length,
    `${same} of ${queries.length}`,
  );
  if (size <= asOfLimit) return;
  const { position: asOf } = await ask(queries[0]!, {});
  const refused = await client.expect(422, 'POST', '/v1/search', { query: queries[0], asOf });
  report.check(
    `${label}: as of a position is refused among so many`,
    refused.code === 'as-of-scope-too-large',
  );
}
