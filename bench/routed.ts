// Compares routed questions with a standard search for the same words, and measures the cost of routing for simple questions.
import type { Benchmark, BenchmarkOptions } from './support/benchmark.ts';
import type { HttpClient, Json } from './support/http.ts';
import { adminOf, withLoaded } from './support/loaded.ts';
import { kinds, teamCount } from './support/memories.ts';
import { Program } from './support/program.ts';
import { pick, randomFrom } from './support/random.ts';
import type { Report } from './support/report.ts';
import { percentile } from './support/statistics.ts';

const complexCount = 60;
const simpleCount = 150;
const rounds = 3;

/** Milliseconds of the same questions in both modes, one after the other. */
interface Paired {
  readonly auto: readonly number[];
  readonly standard: readonly number[];
}

export const routed: Benchmark = {
  name: 'routed',
  about: 'complex questions taken apart, and simple ones, against the standard search of the same words',
  async run(options, report) {
    const { memories, source, profile } = options;
    await withLoaded(source, memories, async (dataDir) => {
      const program = await Program.start({ dataDir, embedder: source.embedder, profile });
      const client = await adminOf(program);
      const complex = await measure(client, questions(options), 'decomposition', report);
      const simple = Array.from({ length: simpleCount }, (_, index) => source.query(index, memories));
      const unrouted = await measure(client, simple, 'standard', report);
      client.close();
      await program.stop();
      tell(memories, complex, unrouted, report);
    });
    report.note(
      `${complexCount} complex and ${simpleCount} simple questions, each asked ${rounds} times in both modes by turns after a first time; topK 10, threshold 0`,
    );
  },
};

/** Questions that compare two or three teams, each in the words of a memory. */
function questions({ source, memories }: BenchmarkOptions): string[] {
  return Array.from({ length: complexCount }, (_, index) => {
    const random = randomFrom(index * 7_919 + 5);
    const words = source.query(index, memories);
    const team = () => `team${Math.floor(random() * teamCount)}`;
    return [
      `Compare ${words} between ${team()} and ${team()}`,
      `What is the difference in ${words} across ${team()}, ${team()} and ${team()}?`,
      `Compare the ${pick(kinds, random)} and the ${pick(kinds, random)} about ${words} across all teams`,
    ][index % 3]!;
  });
}

async function measure(
  client: HttpClient,
  asked: readonly string[],
  route: 'decomposition' | 'standard',
  report: Report,
): Promise<Paired> {
  const times = { auto: [] as number[], standard: [] as number[] };
  let taken = 0;
  let found = 0;
  for (const query of asked) {
    const { searchId } = await search(client, query, 'auto');
    await search(client, query, 'standard');
    const audit = await client.expect(200, 'GET', `/v1/audit/searches/${searchId}?waitMs=20000`);
    // Random words can make a question complex by chance.
    if (audit.route !== route) continue;
    taken++;
    let full = true;
    for (let round = 0; round < rounds; round++) {
      for (const mode of round % 2 === 0
        ? (['auto', 'standard'] as const)
        : (['standard', 'auto'] as const)) {
        const start = performance.now();
        const { results } = await search(client, query, mode);
        times[mode].push(performance.now() - start);
        full &&= results.length > 0;
      }
    }
    if (full) found++;
  }
  report.check(
    `nine in ten took the route ${route}`,
    taken >= 0.9 * asked.length,
    `${taken} of ${asked.length}`,
  );
  report.check(`each of them found something, ${route}`, found === taken, `${found} of ${taken}`);
  return times;
}

function search(client: HttpClient, query: string, mode: 'auto' | 'standard'): Promise<Json> {
  const body = { query, topK: 10, threshold: 0, ...(mode === 'standard' && { mode }) };
  return client.expect(200, 'POST', '/v1/search', body);
}

function tell(memories: number, complex: Paired, unrouted: Paired, report: Report): void {
  const label = memories.toLocaleString('en-US');
  for (const [name, p] of [
    ['p50', 0.5],
    ['p95', 0.95],
  ] as const) {
    report.figure({
      name: `${label}, complex, ${name}`,
      value: percentile(complex.auto, p),
      unit: 'ms',
      baseline: { name: 'standard', value: percentile(complex.standard, p) },
      ...(name === 'p95' && { target: { of: 'ratio', most: 5 } }),
    });
  }
  report.figure({
    name: `${label}, simple, p50`,
    value: percentile(unrouted.auto, 0.5),
    unit: 'ms',
    baseline: { name: 'standard', value: percentile(unrouted.standard, 0.5) },
    target: { of: 'ratio', most: 1.05 },
  });
}
