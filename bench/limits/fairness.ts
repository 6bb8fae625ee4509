// What a quiet caller notices while another one asks for too much.
import { setTimeout as sleep } from 'node:timers/promises';
import path from 'node:path';
import type { Benchmark } from '../support/benchmark.ts';
import { flood, floodShapes, textOf, type FloodShape, type Statuses } from '../support/floods.ts';
import { withScratch } from '../support/folders.ts';
import type { HttpClient } from '../support/http.ts';
import { Program } from '../support/program.ts';
import { randomFrom } from '../support/random.ts';
import type { Report } from '../support/report.ts';
import { percentile, timed } from '../support/statistics.ts';

const mostMemories = 3_000;
const aloneSearches = 60;
/** Fewer callers than in a flood, to find the best rate of one caller. */
const concurrencies = [2, 4, 8];
const rateMs = 5_000;
const floodMs = 15_000;
const settleMs = 1_500;
const aborted = 64;

interface Sides {
  readonly program: Program;
  readonly quiet: HttpClient;
  readonly floodKey: string;
  readonly next: () => number;
  readonly report: Report;
}

export const fairness: Benchmark = {
  name: 'fairness',
  about:
    'searches of a quiet caller beside one that floods, with the bundled model, and how much the flood itself gets done',
  async run({ memories, profile, seed }, report) {
    await withScratch(async (folder) => {
      const dataDir = path.join(folder, 'data');
      const program = await Program.start({ dataDir, embedder: 'onnx', profile });
      const next = randomFrom(seed);
      const quiet = await loaded(program, 'quiet', Math.min(mostMemories, memories), next);
      const floodKey = await program.newKey({ tenant: 'flood', role: 'admin', user: 'ada' });
      (await loaded(program, 'flood', Math.min(mostMemories, memories), next)).close();
      await program.caughtUp();
      const sides = { program, quiet, floodKey, next, report };
      await searchesFor(sides, 2_000);
      const alone = percentile(await searchTimes(sides, aloneSearches), 0.95);
      for (const shape of floodShapes) await besideFlood(sides, shape, alone);
      await afterAborted(sides);
      quiet.close();
      await program.stop();
    });
  },
};

async function loaded(
  program: Program,
  tenant: string,
  count: number,
  next: () => number,
): Promise<HttpClient> {
  const client = await program.client({ tenant, role: 'admin', user: 'ada' });
  const lines = await client.bulk(
    Array.from({ length: count }, (_, n) => ({ content: `${textOf(12, next)} ${n}` })),
  );
  if (lines.some(({ status }) => status !== 201)) throw new Error('a memory was not stored');
  return client;
}

async function besideFlood(sides: Sides, shape: FloodShape, alone: number): Promise<void> {
  const { report } = sides;
  let best = 0;
  for (const concurrency of concurrencies)
    best = Math.max(best, (await flooded(sides, shape, rateMs, concurrency)).rate);
  const flooding = flooded(sides, shape, floodMs);
  await sleep(settleMs);
  const times = await searchesFor(sides, floodMs - 2 * settleMs);
  const { rate, statuses } = await flooding;
  report.figure({
    name: `quiet search p95 beside ${shape.name} (${times.length})`,
    value: percentile(times, 0.95),
    unit: 'ms',
    baseline: { name: 'alone', value: alone },
    target: { of: 'ratio', most: 4 },
  });
  report.figure({
    name: `goodput of ${shape.name}`,
    value: rate,
    unit: '/s',
    baseline: { name: `best of ${concurrencies.join(', ')} at a time`, value: best },
    target: { of: 'ratio', least: 0.8 },
  });
  const refused = [...statuses].filter(([status]) => ![200, 429, 503].includes(status));
  report.check(
    `${shape.name} are answered or refused in time`,
    refused.length === 0,
    JSON.stringify([...statuses]),
  );
}

/** Answers per second of a flood, and all statuses. */
async function flooded(
  { program, floodKey, next }: Sides,
  shape: FloodShape,
  ms: number,
  concurrency?: number,
): Promise<{ rate: number; statuses: Statuses }> {
  let answered = 0;
  const began = performance.now();
  const statuses = await flood(shape, {
    url: () => program.url,
    key: floodKey,
    next,
    signal: AbortSignal.timeout(ms),
    ...(concurrency !== undefined && { concurrency }),
    onAnswer: (status) => {
      if (status === 200) answered++;
    },
  });
  // The answers that were under way at the end count too, and so does their time.
  return { rate: answered / ((performance.now() - began) / 1_000), statuses };
}

/** The quiet caller’s next search after many long ones whose caller has left. */
async function afterAborted({ program, quiet, floodKey, next, report }: Sides): Promise<void> {
  const left = new AbortController();
  const { path: target, body } = floodShapes[1]!;
  const requests = Array.from({ length: aborted }, () =>
    fetch(program.url + target, {
      method: 'POST',
      signal: left.signal,
      headers: { authorization: `Bearer ${floodKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body((count) => textOf(count, next))),
    }).catch(() => undefined),
  );
  await sleep(300);
  left.abort();
  await Promise.all(requests);
  const { ms } = await timed(() => search(quiet, next));
  report.figure({ name: `quiet search after ${aborted} aborted long ones`, value: ms, unit: 'ms' });
}

async function searchTimes({ quiet, next }: Sides, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n++) times.push((await timed(() => search(quiet, next))).ms);
  return times;
}

async function searchesFor({ quiet, next }: Sides, ms: number): Promise<number[]> {
  const times: number[] = [];
  for (const end = performance.now() + ms; performance.now() < end;)
    times.push((await timed(() => search(quiet, next))).ms);
  return times;
}

const search = (client: HttpClient, next: () => number): Promise<unknown> =>
  client.expect(200, 'POST', '/v1/search', { query: textOf(5, next) });
