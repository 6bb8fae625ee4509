// The cluster profile on real servers: how fast projectors fill the read models, and how long until a memory is found.
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freshBackEnds } from '../test/support/back-ends.ts';
import type { Benchmark, BenchmarkOptions } from './support/benchmark.ts';
import { withScratch } from './support/folders.ts';
import type { HttpClient } from './support/http.ts';
import { writeBareStores } from './support/bare-stores.ts';
import { adminOf } from './support/loaded.ts';
import { realTexts } from './support/memories.ts';
import { Program } from './support/program.ts';
import type { Report } from './support/report.ts';
import { inLanes, percentile, timed } from './support/statistics.ts';

const callers = 16;
const pollMs = 20;
const queryWords = 10;
const warmUp = 20;

export const cluster: Benchmark = {
  name: 'cluster',
  about: 'projectors into PostgreSQL and OpenSearch behind Kafka, and a store until it is found there',
  async run(options, report) {
    const named = ['STRATALOG_POSTGRES_URL', 'STRATALOG_KAFKA_BROKERS', 'STRATALOG_OPENSEARCH_URL'];
    if (named.some((name) => process.env[name] === undefined))
      return report.note(`left out: ${named.join(', ')} name no servers`);
    await onServers(options, (start, environment) => measureProjector(options, report, start, environment));
    await onServers(options, (start) => measureSearchable(options, report, start));
    report.note('the log is on the double of KurrentDB, in a process beside');
  },
};

type Start = (embedder: 'onnx' | 'deterministic', role?: string) => Promise<Program>;
type Environment = Readonly<Record<string, string>>;

/** Runs `work` with its own database, event store, topics and indexes. */
async function onServers(
  { profile }: BenchmarkOptions,
  work: (start: Start, environment: Environment) => Promise<void>,
): Promise<void> {
  const backEnds = await freshBackEnds('cluster');
  try {
    await withScratch(async (folder) => {
      const environment = { STRATALOG_PROFILE: 'cluster', ...backEnds.environment };
      const start: Start = (embedder, role) =>
        Program.start({
          dataDir: path.join(folder, 'data'),
          embedder,
          environment,
          profile,
          ...(role !== undefined && { role }),
        });
      await work(start, environment);
    });
  } finally {
    await backEnds.remove();
  }
}

/**
 * Measures how long a projector takes from its start until every read model has applied all waiting events. Then plain
 * clients write the same rows and documents for comparison. A first projector warms the servers up, because both runs benefit
 * from what the servers compile and cache.
 */
async function measureProjector(
  { memories, source }: BenchmarkOptions,
  report: Report,
  start: Start,
  environment: Environment,
): Promise<void> {
  const count = Math.min(memories, 20_000);
  const before = Math.round(count / 10);
  const api = await start('deterministic', 'api,relay,worker');
  const client = await adminOf(api);
  const store = async (from: number, many: number): Promise<void> => {
    await inLanes(callers, many, async (index) => {
      await client.expect(201, 'POST', '/v1/memories', source.memory(from + index));
    });
    await untilRelayed(client);
  };
  await store(0, before);
  await projectAll(api, start);
  await store(before, count);
  const ms = await projectAll(api, start);
  const all = before + count;
  const { total } = await client.expect(200, 'GET', '/v1/stats');
  report.check('every memory is in the read models', total.active === all, `${total.active}`);
  client.close();
  const bare = await writeBareStores(environment);
  report.check('and in the bare stores', bare.memories === all, `${bare.memories}`);
  const bareRate = all / (bare.ms / 1_000);
  report.figure({
    name: `projector, all read models, ${count.toLocaleString('en-US')} stores`,
    value: count / (ms / 1_000),
    unit: 'events/s',
    baseline: { name: 'bare stores', value: bareRate },
    target: { of: 'value', least: Math.min(3_000, Math.round(0.7 * bareRate)) },
  });
  await api.stop();
}

/** Returns how long a new projector took, after its start, until all read models had applied the whole log. */
async function projectAll(api: Program, start: Start): Promise<number> {
  const { ms, result: projector } = await timed(async () => {
    const started = await start('deterministic', 'projector');
    await api.caughtUp();
    return started;
  });
  await projector.stop();
  return ms - projector.startMs;
}

async function untilRelayed(client: HttpClient): Promise<void> {
  for (;;) {
    const { relay } = await client.expect(200, 'GET', '/readyz');
    if (relay.positionsBehind === 0) return;
    await sleep(pollMs);
  }
}

async function measureSearchable(
  { memories }: BenchmarkOptions,
  report: Report,
  start: Start,
): Promise<void> {
  const count = Math.min(memories, 300);
  const program = await start('onnx');
  const client = await adminOf(program);
  const times: number[] = [];
  let found = 0;
  for (const content of realTexts(warmUp + count)) {
    const began = performance.now();
    const { memory, position } = await client.expect(201, 'POST', '/v1/memories', { content });
    const { results } = await client.expect(200, 'POST', '/v1/search', {
      query: content.split(' ').slice(0, queryWords).join(' '),
      threshold: 0,
      minPosition: position,
    });
    times.push(performance.now() - began);
    if ((results as { memory: { id: string } }[]).some((result) => result.memory.id === memory.id)) found++;
  }
  const measured = times.slice(warmUp);
  report.check('every memory is found', found === warmUp + count, `${found}`);
  report.figure({
    name: 'write to searchable on the cluster, p50',
    value: percentile(measured, 0.5),
    unit: 'ms',
  });
  report.figure({
    name: 'write to searchable on the cluster, p99',
    value: percentile(measured, 0.99),
    unit: 'ms',
    target: { of: 'value', most: 500 },
  });
  client.close();
  await program.stop();
}
