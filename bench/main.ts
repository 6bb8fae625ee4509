// npm run bench -- [name …] [--memories N] [--events N] [--data DIR] [--embedder MODEL] [--logs N] [--count N] [--seed N] [--json] [--fresh] [--profile DIR]
import { availableParallelism, cpus, loadavg } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { bulk } from './bulk.ts';
import { client } from './client.ts';
import { cluster } from './cluster.ts';
import { context } from './context.ts';
import { hostile } from './hostile.ts';
import { learning } from './learning/learning.ts';
import { fairness } from './limits/fairness.ts';
import { fuzz } from './limits/fuzz.ts';
import { halfOpen } from './limits/half-open.ts';
import { parallelStores } from './limits/parallel-stores.ts';
import { probes } from './limits/probes.ts';
import { mcp } from './mcp.ts';
import { rebuild } from './rebuild.ts';
import { relay } from './relay.ts';
import { retrieval } from './retrieval.ts';
import { routed } from './routed.ts';
import { searchPostgres } from './search-postgres.ts';
import { search } from './search.ts';
import { searchPassages } from './search-passages.ts';
import { searchable } from './searchable.ts';
import { startup } from './startup.ts';
import { stores } from './stores.ts';
import type { Benchmark, BenchmarkOptions } from './support/benchmark.ts';
import { dropLoaded } from './support/loaded.ts';
import { ZipfMemories } from './support/memories.ts';
import { printResult, Report, type BenchmarkResult } from './support/report.ts';

const benchmarks: readonly Benchmark[] = [
  stores,
  bulk,
  searchable,
  search,
  searchPassages,
  searchPostgres,
  context,
  routed,
  retrieval,
  rebuild,
  startup,
  client,
  mcp,
  relay,
  cluster,
  learning,
  hostile,
  fairness,
  halfOpen,
  parallelStores,
  probes,
  fuzz,
];

/** Runs the named benchmarks, or all if none is named. The exit status is 0 only if every answer was right. */
export async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      memories: { type: 'string', default: '100000' },
      events: { type: 'string' },
      json: { type: 'boolean', default: false },
      fresh: { type: 'boolean', default: false },
      profile: { type: 'string' },
      data: { type: 'string' },
      embedder: { type: 'string' },
      logs: { type: 'string', default: '200' },
      count: { type: 'string' },
      seed: { type: 'string', default: '1' },
    },
  });
  const chosen = benchmarks.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const unknown = positionals.filter((name) => !benchmarks.some((benchmark) => benchmark.name === name));
  if (unknown.length > 0) return usage(`no benchmark ${unknown.join(', ')}`);
  if (positionals.includes(retrieval.name) && values.data === undefined)
    return usage(`${retrieval.name} needs --data`);
  const memories = Number(values.memories);
  const events = Number(values.events ?? 2 * memories);
  if (![memories, events].every((count) => Number.isInteger(count) && count >= 100)) {
    return usage('--memories and --events are whole numbers from 100 on');
  }
  const logs = Number(values.logs);
  if (!Number.isInteger(logs) || logs < 20) return usage('--logs is a whole number from 20 on');
  const seed = Number(values.seed);
  const count = values.count === undefined ? undefined : Number(values.count);
  if (![seed, count ?? 1].every((value) => Number.isSafeInteger(value) && value >= 0))
    return usage('--count and --seed are whole numbers');
  // Ensures that servers and scratch folders are removed when the process ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped(signal));
  if (values.fresh) await dropLoaded();
  const profile = values.profile === undefined ? undefined : path.resolve(values.profile);
  const options: BenchmarkOptions = {
    memories,
    events,
    profile,
    data: values.data,
    embedder: values.embedder,
    logs,
    count,
    seed,
    source: new ZipfMemories(),
  };

  const results: (BenchmarkResult & { load: number; seconds: number })[] = [];
  if (!values.json) console.log(machine());
  for (const benchmark of chosen) {
    const load = loadavg()[0]!;
    const start = performance.now();
    const report = new Report(benchmark.name);
    await benchmark.run(options, report);
    const seconds = (performance.now() - start) / 1_000;
    const result = { ...report.result(), load, seconds };
    results.push(result);
    if (!values.json) {
      printResult(result);
      console.log(`  load of the machine before it ${load.toFixed(1)}; took ${seconds.toFixed(0)} s`);
    }
  }
  if (values.json) console.log(JSON.stringify({ machine: machine(), memories, events, results }, null, 2));
  if (results.some(({ checks }) => checks.some(({ ok }) => !ok))) process.exitCode = 1;
}

function stopped(signal: NodeJS.Signals): never {
  console.error(`\nstopped by ${signal}`);
  process.exit(1);
}

function machine(): string {
  return `${availableParallelism()} cores, ${cpus()[0]?.model.trim() ?? 'unknown'}, Node ${process.version}, ${process.platform}`;
}

function usage(problem: string): void {
  console.error(`${problem}
usage: npm run bench -- [name …] [--memories N] [--events N] [--data DIR] [--embedder MODEL] [--logs N] [--count N] [--seed N] [--json] [--fresh] [--profile DIR]
${benchmarks.map(({ name, about }) => `  ${name.padEnd(15)} ${about}`).join('\n')}`);
  process.exitCode = 2;
}
