// What a call costs more through the client than with a bare fetch of the same request.
import path from 'node:path';
import { Stratalog } from '../packages/client/src/index.ts';
import type { Benchmark } from './support/benchmark.ts';
import { withScratch } from './support/folders.ts';
import { tenant } from './support/loaded.ts';
import { Program } from './support/program.ts';
import { percentile } from './support/statistics.ts';

const warmUp = 200;
const calls = 1_000;
const mostMs = 0.2;

export const client: Benchmark = {
  name: 'client',
  about: `${calls} calls of @stratalog/client, alternating with a bare fetch of the same request`,
  async run({ profile }, report) {
    await withScratch(async (folder) => {
      const program = await Program.start({
        dataDir: path.join(folder, 'data'),
        embedder: 'deterministic',
        profile,
      });
      const { url } = program;
      const apiKey = await program.newKey({ tenant, role: 'admin', user: 'ada' });
      const stratalog = new Stratalog({ url, apiKey });
      const { memory } = await stratalog.memories.store({ content: 'Releases are cut on Tuesday' });
      const position = stratalog.position!;
      const bare = async (method: string, at: string, body?: object): Promise<unknown> => {
        const response = await fetch(url + at, {
          method,
          headers: {
            authorization: `Bearer ${apiKey}`,
            'content-type': 'application/json',
          },
          ...(body && { body: JSON.stringify(body) }),
        });
        return response.json();
      };
      const search = { query: 'When are releases cut?', threshold: 0 };
      const waited = { minPosition: position, waitMs: 30_000 };
      const kinds = {
        get: {
          client: () => stratalog.memories.get(memory.id),
          bare: () => bare('GET', `/v1/memories/${memory.id}?minPosition=${position}&waitMs=30000`),
        },
        search: {
          client: () => stratalog.search({ ...search }),
          bare: () => bare('POST', '/v1/search', { ...search, ...waited }),
        },
      };
      for (const [name, kind] of Object.entries(kinds)) {
        const times = { client: [] as number[], bare: [] as number[] };
        for (let call = 0; call < warmUp + calls; call++)
          for (const way of ['client', 'bare'] as const) {
            const start = performance.now();
            await kind[way]();
            if (call >= warmUp) times[way].push(performance.now() - start);
          }
        const [withClient, without] = [percentile(times.client, 0.5), percentile(times.bare, 0.5)];
        report.figure({
          name: `${name}, p50`,
          value: withClient,
          unit: 'ms',
          baseline: { name: 'fetch', value: without },
        });
        report.figure({
          name: `the client adds to a ${name}`,
          value: withClient - without,
          unit: 'ms',
          target: { of: 'value', most: mostMs },
        });
      }
      const { content } = await stratalog.memories.get(memory.id);
      report.check('the client answers with the memory', content === memory.content);
      await program.stop();
    });
  },
};
