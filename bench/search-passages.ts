// Hybrid search through HTTP among memories with passages, compared with the bare index queries over as many rows.
import { deterministicEmbedder } from '../src/adapters/deterministic/embedder.ts';
import { openPglite } from '../src/adapters/pglite/open.ts';
import { passageVectorTable } from '../src/read-models/vectors/tables.ts';
import { timeBareIndexes } from './support/bare-indexes.ts';
import type { Benchmark } from './support/benchmark.ts';
import { adminOf, withLoaded } from './support/loaded.ts';
import { LongMemories } from './support/memories.ts';
import { Program } from './support/program.ts';
import { timeSearches, topK } from './support/searches.ts';
import { percentile } from './support/statistics.ts';
import { plain } from './support/variants.ts';

const queryCount = 200;
const warmUp = 1_000;
const knownItems = 50;

export const searchPassages: Benchmark = {
  name: 'search-passages',
  about:
    'search among memories of which 5 % are long, against the bare queries of words, vectors and passages',
  async run({ memories: size, profile }, report) {
    const source = new LongMemories();
    const queries = Array.from({ length: queryCount }, (_, index) => source.query(index, size));
    await withLoaded(source, size, async (dataDir) => {
      const label = `${size.toLocaleString('en-US')} memories`;
      const program = await Program.start({ dataDir, embedder: source.embedder, profile });
      const client = await adminOf(program);
      await program.caughtUp();
      const times = await timeSearches(program, queries, plain, topK, label, report, warmUp);
      let found = 0;
      for (let n = 0; n < knownItems; n++) {
        const serial = Math.floor((n * size) / knownItems);
        // The middle of a long text, the beginning of a short one.
        const words = source.memory(serial).content.split(/\s+/);
        const from = Math.floor(words.length / 2);
        const query = words.slice(from, from + 25).join(' ');
        const { results } = await client.expect(200, 'POST', '/v1/search', { query, topK, threshold: 0 });
        if (
          (results as { memory: { metadata: { serial: number } } }[]).some(
            (hit) => hit.memory.metadata.serial === serial,
          )
        )
          found++;
      }
      report.check(
        `${label}: found by 25 words of their middle`,
        found === knownItems,
        `${found} of ${knownItems}`,
      );
      client.close();
      await program.caughtUp();
      await program.stop();

      const sql = await openPglite({ dataDir });
      const { embed, model } = deterministicEmbedder({ dimension: 384 });
      const vectors = { id: model.id, vectors: await embed(queries, 'query') };
      const [rows] = await sql.query<{ passages: number }>(
        `select count(embedding)::integer as passages from ${passageVectorTable(model.id)}`,
      );
      report.note(`${rows!.passages.toLocaleString('en-US')} passages beside the ${label}`);
      const bare = await timeBareIndexes(sql, queries, vectors, { passages: true });
      await sql.close();
      const baseline = (p: number) => ({ baseline: { name: 'bare queries', value: percentile(bare, p) } });
      report.figure({ name: `${label}, p50`, value: percentile(times, 0.5), unit: 'ms', ...baseline(0.5) });
      report.figure({
        name: `${label}, p95`,
        value: percentile(times, 0.95),
        unit: 'ms',
        ...baseline(0.95),
        target: { of: 'ratio', most: 1.5 },
      });
    });
  },
};
