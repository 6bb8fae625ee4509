// Contexts through HTTP among many memories, compared with searches for the same questions.
import type { Benchmark } from './support/benchmark.ts';
import { Connection, jsonRequest } from './support/connection.ts';
import { adminKeyOf, withLoaded } from './support/loaded.ts';
import { Program } from './support/program.ts';
import { percentile } from './support/statistics.ts';

const queryCount = 200;
/** V8 compiles hot code only after many calls. */
const warmUpRounds = 5;
const tokenBudget = 500;
/** What a context may cost beside a search: a factor and a time. */
const [mostFactor, mostAddedMs] = [1.3, 15];

interface Context {
  readonly text: string;
  readonly tokenCount: number;
  readonly items: readonly { readonly text: string }[];
}

export const context: Benchmark = {
  name: 'context',
  about: `contexts of ${tokenBudget} tokens, alternating with searches for the same questions`,
  async run({ memories: size, profile, source }, report) {
    const queries = Array.from({ length: queryCount }, (_, index) => source.query(index, size));
    await withLoaded(source, size, async (dataDir) => {
      const label = `${size.toLocaleString('en-US')} memories`;
      const program = await Program.start({ dataDir, embedder: source.embedder, profile });
      const key = await adminKeyOf(program);
      await program.caughtUp();
      const connection = await Connection.open(program.url);
      const asked = queries.map((query) => ({
        search: jsonRequest('POST', '/v1/search', key, { query, threshold: 0 }),
        context: jsonRequest('POST', '/v1/context', key, { query, tokenBudget, threshold: 0 }),
      }));
      const times = { search: [] as number[], context: [] as number[] };
      const answers: Context[] = [];
      let same = 0;
      for (let round = 0; round <= warmUpRounds; round++)
        for (const [index, requests] of asked.entries())
          for (const kind of ['search', 'context'] as const) {
            const start = performance.now();
            const { body } = await connection.send(requests[kind]);
            if (round === warmUpRounds) times[kind].push(performance.now() - start);
            if (kind === 'search') continue;
            const answer = JSON.parse(body.toString('utf8')) as Context;
            if (round === 0) answers.push(answer);
            else if (round === warmUpRounds && answer.text === answers[index]!.text) same++;
          }
      connection.close();
      await program.stop();

      const isGood = ({ text, tokenCount, items }: Context) =>
        items.length > 0 && tokenCount <= tokenBudget && items.every((item) => text.includes(item.text));
      report.check(`${label}: every context is filled within its budget`, answers.every(isGood));
      report.check(`${label}: the same question has the same text`, same === queryCount, `${same}`);
      for (const p of [0.5, 0.95]) {
        const [ours, search] = [percentile(times.context, p), percentile(times.search, p)];
        const baseline = { name: 'search', value: search };
        report.figure({ name: `${label}, p${p * 100}`, value: ours, unit: 'ms', baseline });
      }
      const over = percentile(times.context, 0.95) - mostFactor * percentile(times.search, 0.95);
      report.figure({
        name: `${label}: p95 beyond ${mostFactor}x that of a search`,
        value: over,
        unit: 'ms',
        target: { of: 'value', most: mostAddedMs },
      });
    });
  },
};
