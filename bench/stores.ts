// Stores through HTTP, compared with bare appends of the same bytes to the same kind of log.
import path from 'node:path';
import { openPglite } from '../src/adapters/pglite/open.ts';
import { openSqlEventLog } from '../src/adapters/sqllog/sql-event-log.ts';
import type { RecordedEvent } from '../src/ports/event-log.ts';
import type { Benchmark, BenchmarkOptions } from './support/benchmark.ts';
import { withScratch } from './support/folders.ts';
import { Connection, jsonRequest, type RawReply } from './support/connection.ts';
import type { Json } from './support/http.ts';
import { adminKeyOf, adminOf } from './support/loaded.ts';
import { Program, type EmbedderKind } from './support/program.ts';
import type { Report } from './support/report.ts';
import { inLanes, percentile, timed } from './support/statistics.ts';

const callers = 16;
/** Calls until both sides reach full speed, because V8 compiles hot code for several thousand calls. */
const warmUp = 8_000;
/** Enough to measure the rate of a single caller that waits for each append. */
const oneByOne = 1_000;
const readBack = 50;

export const stores: Benchmark = {
  name: 'stores',
  about: 'stores through HTTP, 16 clients, projections running, against bare appends of the same bytes',
  async run(options, report) {
    for (const embedder of ['deterministic', 'onnx'] as const) await measure(embedder, options, report);
    report.note('deterministic: vectors cost nothing; onnx: the bundled model embeds beside the stores');
  },
};

async function measure(embedder: EmbedderKind, options: BenchmarkOptions, report: Report): Promise<void> {
  const count = Math.min(options.memories, 10_000);
  await withScratch(async (folder) => {
    const dataDir = path.join(folder, 'data');
    const rate = await throughHttp(dataDir, count, embedder, options, report);
    const events = await readEvents(dataDir);
    report.check(
      `${embedder}: one event a store is in the log`,
      events.length === warmUp + count,
      `${events.length}`,
    );
    const bare = await appendBare(path.join(folder, 'bare'), events, callers, events.length - warmUp, report);
    const alone = await appendBare(path.join(folder, 'alone'), events, 1, oneByOne, report);
    report.figure({
      name: `stores, against one caller's appends, ${embedder}`,
      value: rate,
      unit: '/s',
      baseline: { name: 'appends', value: alone },
    });
    report.figure({
      name: `stores, against ${callers} callers' appends, ${embedder}`,
      value: rate,
      unit: '/s',
      baseline: { name: 'appends', value: bare },
      target: { of: 'ratio', least: 0.5 },
    });
  });
}

async function throughHttp(
  dataDir: string,
  count: number,
  embedder: EmbedderKind,
  { source, profile }: BenchmarkOptions,
  report: Report,
): Promise<number> {
  const program = await Program.start({ dataDir, embedder, profile });
  const client = await adminOf(program);
  const key = await adminKeyOf(program);
  // Building requests and reading replies happen before and after the measurement, because the bare appends need neither.
  // Their events are prepared too.
  const requests = Array.from({ length: warmUp + count }, (_, index) =>
    jsonRequest('POST', '/v1/memories', key, source.memory(index)),
  );
  const replies: RawReply[] = [];
  const times: number[] = [];
  const store = async (from: number, size: number): Promise<void> => {
    const connections = await Promise.all(
      Array.from({ length: callers }, () => Connection.open(program.url)),
    );
    await inLanes(callers, size, async (index, lane) => {
      const start = performance.now();
      replies[from + index] = await connections[lane]!.send(requests[from + index]!);
      times[from + index] = performance.now() - start;
    });
    for (const connection of connections) connection.close();
  };
  await store(0, warmUp);
  await program.caughtUp();
  const { ms } = await timed(() => store(warmUp, count));
  const lag = await program.lag();
  const { ms: catchUpMs } = await timed(() => program.caughtUp());
  const measured = times.slice(warmUp);
  report.figure({ name: `store p50, ${embedder}`, value: percentile(measured, 0.5), unit: 'ms' });
  report.figure({ name: `store p99, ${embedder}`, value: percentile(measured, 0.99), unit: 'ms' });
  report.figure({
    name: `lag at the end (${lag.projection}), ${embedder}`,
    value: lag.events,
    unit: 'events',
  });
  report.figure({ name: `time to catch up, ${embedder}`, value: catchUpMs / 1_000, unit: 's' });

  const stored = replies.filter(({ status }) => status === 201);
  report.check(`${embedder}: every store was answered with 201`, stored.length === warmUp + count);
  const ids = stored.map(({ body }) => (JSON.parse(body.toString('utf8')) as Json).memory.id as string);
  report.check(`${embedder}: every id is another one`, new Set(ids).size === warmUp + count);
  let equal = 0;
  for (let n = 0; n < readBack; n++) {
    const index = Math.floor((n * ids.length) / readBack);
    const memory = await client.expect(200, 'GET', `/v1/memories/${ids[index]}`);
    if (memory.content === source.memory(index).content) equal++;
  }
  report.check(`${embedder}: memories read back are as they were sent`, equal === readBack);
  client.close();
  await program.stop();
  return count / (ms / 1_000);
}

/** The events of the stores with their size in bytes, warm-up first. */
async function readEvents(dataDir: string): Promise<RecordedEvent[]> {
  const sql = await openPglite({ dataDir });
  const log = await openSqlEventLog(sql);
  const events: RecordedEvent[] = [];
  for (let after = 0; ;) {
    const page = await log.readAll({ after, limit: 1_000, filter: { categories: ['memory'] } });
    if (page.scannedTo === after) break;
    events.push(...page.events);
    after = page.scannedTo;
  }
  await log.close();
  await sql.close();
  return events;
}

/** Appends `count` of the same events, after the warm-up, to a new, otherwise idle log on disk. Returns appends per second. */
async function appendBare(
  dataDir: string,
  events: readonly RecordedEvent[],
  lanes: number,
  count: number,
  report: Report,
): Promise<number> {
  const sql = await openPglite({ dataDir });
  const log = await openSqlEventLog(sql);
  const append = async (index: number) => {
    const { stream, id, type, schemaVersion, data, metadata } = events[index]!;
    await log.append(stream, 'noStream', [{ id, type, schemaVersion, data, metadata }]);
  };
  await inLanes(callers, warmUp, append);
  const { ms } = await timed(() => inLanes(lanes, count, (index) => append(warmUp + index)));
  const head = await log.head();
  report.check(`the log of ${lanes} bare callers holds their events`, head === warmUp + count, `${head}`);
  await log.close();
  await sql.close();
  return count / (ms / 1_000);
}
