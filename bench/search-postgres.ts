// Hybrid search on a PostgreSQL server as the collection grows, compared with the sum of its two bare index queries.
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { deterministicEmbedder } from '../src/adapters/deterministic/embedder.ts';
import { openPostgres } from '../src/adapters/postgres/postgres.ts';
import { freshDatabase } from '../test/support/database.ts';
import { timeBareIndexes } from './support/bare-indexes.ts';
import type { Benchmark, BenchmarkOptions } from './support/benchmark.ts';
import { withScratch } from './support/folders.ts';
import { adminOf, storeMemories } from './support/loaded.ts';
import { Program } from './support/program.ts';
import type { Report } from './support/report.ts';
import { timeSearches, topK } from './support/searches.ts';
import { percentile, timed } from './support/statistics.ts';
import { plain } from './support/variants.ts';

const queryCount = 200;
const warmUp = 1_000;
/** Enough time for the server to vacuum, and to write the pages of the last checkpoint. */
const restMs = 30_000;

export const searchPostgres: Benchmark = {
  name: 'search-postgres',
  about: 'the same on a PostgreSQL server, in one collection that grows, and how the time grows with it',
  async run(options, report) {
    if (process.env['STRATALOG_POSTGRES_URL'] === undefined)
      return report.note('left out: STRATALOG_POSTGRES_URL names no server');
    const database = await freshDatabase();
    try {
      await withScratch((folder) => measureAll(options, report, database.url, path.join(folder, 'data')));
    } finally {
      await database.drop();
    }
    report.note(
      `vectors come from the deterministic embedder; ${queryCount} queries, one after another, after a thousand others; topK ${topK}, threshold 0`,
    );
  },
};

async function measureAll(
  { memories, source, profile }: BenchmarkOptions,
  report: Report,
  url: string,
  dataDir: string,
): Promise<void> {
  const environment = { STRATALOG_PROFILE: 'postgres', STRATALOG_POSTGRES_URL: url };
  const model = deterministicEmbedder({ dimension: 384 });
  let before: { label: string; times: readonly number[]; size: number } | undefined;
  for (const size of [memories / 100, memories / 10, memories].map(Math.floor)) {
    if (size < 100) continue;
    const label = size.toLocaleString('en-US');
    const program = await Program.start({ dataDir, embedder: 'deterministic', environment, profile });
    const client = await adminOf(program);
    const { ms } = await timed(async () => {
      await storeMemories(client, source, before?.size ?? 0, size);
      await program.caughtUp();
    });
    const added = size - (before?.size ?? 0);
    report.note(`${label} memories: the last ${added} of them with ${((1_000 * added) / ms).toFixed(0)}/s`);
    await sleep(restMs);
    const queries = Array.from({ length: queryCount }, (_, index) => source.query(index, size));
    const times = await timeSearches(program, queries, plain, topK, label, report, warmUp);
    client.close();
    await program.stop();

    const vectors = { id: model.model.id, vectors: await model.embed(queries, 'query') };
    // A single connection, because settings apply to a connection.
    const sql = await openPostgres({ url, maxConnections: 1 });
    const bare = await timeBareIndexes(sql, queries, vectors);
    await sql.close();
    for (const [name, share] of [
      ['p50', 0.5],
      ['p95', 0.95],
    ] as const)
      report.figure({
        name: `${label}, ${name}`,
        value: percentile(times, share),
        unit: 'ms',
        baseline: { name: 'both indexes', value: percentile(bare, share) },
        ...(name === 'p95' && { target: { of: 'ratio', most: 1.5 } }),
      });
    if (before)
      report.figure({
        name: `${label}, p95, growth`,
        value: percentile(times, 0.95),
        unit: 'ms',
        baseline: { name: `of ${before.label}`, value: percentile(before.times, 0.95) },
      });
    before = { label, times, size };
  }
}
