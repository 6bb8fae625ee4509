// Bulk stores real texts with the bundled model and waits until every read model has caught up.
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { openOnnxEmbedder } from '../src/adapters/onnx/embedder.ts';
import { bgeSmall } from '../src/adapters/onnx/models.ts';
import type { Benchmark, BenchmarkOptions } from './support/benchmark.ts';
import { withScratch } from './support/folders.ts';
import { adminOf } from './support/loaded.ts';
import { realTexts } from './support/memories.ts';
import { Program } from './support/program.ts';
import type { Report } from './support/report.ts';
import { timed } from './support/statistics.ts';

const samples = 20;

export const bulk: Benchmark = {
  name: 'bulk',
  about: 'bulk store with embedding and indexing caught up, against the embedder alone',
  async run(options, report) {
    const texts = realTexts(Math.min(options.memories, 2_000));
    const { acknowledged, searchable } = await throughHttp(texts, options, report);
    const alone = await embedderAlone(texts);
    report.figure({ name: 'acknowledged', value: acknowledged, unit: '/s' });
    report.figure({
      name: 'embedded and indexed',
      value: searchable,
      unit: '/s',
      baseline: { name: 'embedder alone', value: alone },
    });
    const words = texts.reduce((sum, text) => sum + text.split(' ').length, 0) / texts.length;
    report.note(
      `${texts.length} texts of ${words.toFixed(0)} words on average, bge-small-en-v1.5 int8, ${availableParallelism()} cores`,
    );
  },
};

async function throughHttp(
  texts: readonly string[],
  { profile }: BenchmarkOptions,
  report: Report,
): Promise<{ acknowledged: number; searchable: number }> {
  return withScratch(async (folder) => {
    const program = await Program.start({ dataDir: path.join(folder, 'data'), embedder: 'onnx', profile });
    const client = await adminOf(program);
    const start = performance.now();
    const lines = await client.bulk(texts.map((content) => ({ content })));
    const acknowledged = texts.length / ((performance.now() - start) / 1_000);
    await program.caughtUp();
    const searchable = texts.length / ((performance.now() - start) / 1_000);

    const stored = lines.filter(({ status }) => status === 201).length;
    report.check('every line was stored', stored === texts.length, `${stored}`);
    let found = 0;
    for (let n = 0; n < samples; n++) {
      const index = Math.floor((n * texts.length) / samples);
      const { results } = await client.expect(200, 'POST', '/v1/search', {
        query: texts[index],
        threshold: 0,
        order: 'relevance',
      });
      if (results[0]?.memory.content === texts[index]) found++;
    }
    report.check('a memory is the first answer to its own text', found === samples, `${found} of ${samples}`);
    client.close();
    await program.stop();
    return { acknowledged, searchable };
  });
}

/** Texts per second of the model alone, with as many threads as the server uses. */
async function embedderAlone(texts: readonly string[]): Promise<number> {
  const embedder = await openOnnxEmbedder({ model: bgeSmall });
  // Starts the threads first, because the server's threads were running before its first memory was embedded.
  await embedder.embed(texts.slice(0, 2 * availableParallelism()), 'passage');
  const { ms } = await timed(() => embedder.embed(texts, 'passage'));
  await embedder.close();
  return texts.length / (ms / 1_000);
}
