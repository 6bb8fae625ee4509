// How long it takes until a new memory can be found.
import path from 'node:path';
import type { Benchmark } from './support/benchmark.ts';
import { withScratch } from './support/folders.ts';
import { adminOf } from './support/loaded.ts';
import { realTexts } from './support/memories.ts';
import { Program } from './support/program.ts';
import { percentile } from './support/statistics.ts';

const warmUp = 20;
const queryWords = 10;

export const searchable: Benchmark = {
  name: 'searchable',
  about: 'single stores of up to 60 words with the bundled model, each searched for with its minPosition',
  async run({ memories, profile }, report) {
    const count = Math.min(memories, 500);
    const texts = realTexts(warmUp + count);
    await withScratch(async (folder) => {
      const program = await Program.start({ dataDir: path.join(folder, 'data'), embedder: 'onnx', profile });
      const client = await adminOf(program);
      const whole: number[] = [];
      const afterAnswer: number[] = [];
      let found = 0;
      for (const content of texts) {
        const start = performance.now();
        const { memory, position } = await client.expect(201, 'POST', '/v1/memories', { content });
        const stored = performance.now();
        const { results } = await client.expect(200, 'POST', '/v1/search', {
          query: content.split(' ').slice(0, queryWords).join(' '),
          threshold: 0,
          minPosition: position,
        });
        whole.push(performance.now() - start);
        afterAnswer.push(performance.now() - stored);
        if ((results as { memory: { id: string } }[]).some((result) => result.memory.id === memory.id))
          found++;
      }
      client.close();
      await program.stop();
      report.check(
        'the search that names the position has the memory',
        found === texts.length,
        `${found} of ${texts.length}`,
      );
      const [sent, answered] = [whole.slice(warmUp), afterAnswer.slice(warmUp)];
      report.figure({ name: 'store sent to search answered, p50', value: percentile(sent, 0.5), unit: 'ms' });
      report.figure({
        name: 'store sent to search answered, p99',
        value: percentile(sent, 0.99),
        unit: 'ms',
        target: { of: 'value', most: 150 },
      });
      report.figure({
        name: 'of it after the store’s answer, p99',
        value: percentile(answered, 0.99),
        unit: 'ms',
      });
      report.note(
        `${count} stores one after another; the time holds both requests and the embedding of the query`,
      );
    });
  },
};
