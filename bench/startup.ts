// Time from the start of the process to readiness.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Benchmark, BenchmarkOptions } from './support/benchmark.ts';
import type { HttpClient } from './support/http.ts';
import { adminOf, withLoaded } from './support/loaded.ts';
import { Program } from './support/program.ts';
import type { Report } from './support/report.ts';

const repetitions = 3;
const writers = 16;
/** Long enough for the write-ahead log to reach the size that triggers a checkpoint. */
const writingMs = 5_000;

export const startup: Benchmark = {
  name: 'startup',
  about: 'time to ready with a loaded data folder, after a clean stop and after SIGKILL under load',
  async run(options, report) {
    await withLoaded(options.source, options.memories, async (dataDir) => {
      await afterCleanStop(dataDir, options, report);
      await afterKill(dataDir, options, report);
    });
    report.note('the files are in the page cache; the time holds the bundling of the checkout');
  },
};

async function afterCleanStop(
  dataDir: string,
  { memories }: BenchmarkOptions,
  report: Report,
): Promise<void> {
  let worst = 0;
  for (let n = 0; n < repetitions; n++) {
    const program = await Program.start({ dataDir, embedder: 'deterministic' });
    worst = Math.max(worst, program.startMs);
    const client = await adminOf(program);
    const total = await activeMemories(client);
    report.check('every memory is there after a clean stop', total === memories, `${total}`);
    client.close();
    await program.stop();
  }
  report.figure({
    name: `ready after a clean stop, worst of ${repetitions}`,
    value: worst / 1_000,
    unit: 's',
    target: { of: 'value', most: 3 },
  });
}

async function afterKill(
  dataDir: string,
  { memories, source }: BenchmarkOptions,
  report: Report,
): Promise<void> {
  let worst = 0;
  let stored = memories;
  for (let n = 0; n < repetitions; n++) {
    const program = await Program.start({ dataDir, embedder: 'deterministic' });
    const client = await adminOf(program);
    const acknowledged = await writeUntilKilled(program, client, (index) => source.memory(stored + index));
    client.close();

    const again = await Program.start({ dataDir, embedder: 'deterministic' });
    worst = Math.max(worst, again.startMs);
    await again.caughtUp();
    const reader = await adminOf(again);
    const total = await activeMemories(reader);
    // Stores in progress at the kill may have been written without being acknowledged.
    report.check(
      'every acknowledged memory is there after SIGKILL',
      total >= stored + acknowledged && total <= stored + acknowledged + writers,
      `${total - stored} for ${acknowledged} acknowledged`,
    );
    stored = total;
    reader.close();
    await again.stop();
  }
  report.figure({
    name: `ready after SIGKILL, worst of ${repetitions}`,
    value: worst / 1_000,
    unit: 's',
    target: { of: 'value', most: 10 },
  });
}

/** Returns how many stores were acknowledged before the kill. */
async function writeUntilKilled(
  program: Program,
  client: HttpClient,
  memory: (index: number) => unknown,
): Promise<number> {
  let acknowledged = 0;
  let next = 0;
  const kill = new AbortController();
  const write = async () => {
    while (!kill.signal.aborted) {
      try {
        await client.expect(201, 'POST', '/v1/memories', memory(next++));
        acknowledged++;
      } catch (error) {
        if (!kill.signal.aborted) throw error;
      }
    }
  };
  const writing = Promise.all(Array.from({ length: writers }, write));
  await Promise.race([sleep(writingMs), writing]);
  kill.abort();
  await program.stop('SIGKILL');
  await writing;
  return acknowledged;
}

async function activeMemories(client: HttpClient): Promise<number> {
  const stats = await client.expect(200, 'GET', '/v1/stats');
  return stats.total.active;
}
