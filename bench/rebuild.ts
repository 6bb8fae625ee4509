// Rebuilds every read model from the log next to the live ones, reusing the existing vectors.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Benchmark } from './support/benchmark.ts';
import type { HttpClient, Json } from './support/http.ts';
import { adminOf, withLoaded } from './support/loaded.ts';
import { addUpdatesAndSearches } from './support/mix.ts';
import { Program } from './support/program.ts';
import type { Report } from './support/report.ts';
import { timed } from './support/statistics.ts';

/** The same polling interval as `stratalog projections rebuild`. */
const pollMs = 200;

export const rebuild: Benchmark = {
  name: 'rebuild',
  about:
    'rebuild of all read models with kept vectors: 60 % stores, 20 % updates, 20 % searches with accesses',
  async run({ events, source, profile }, report) {
    // Of 100 commands 60 store, 20 update and 20 search. A search has two events, so half of all events are stores.
    const memories = Math.floor(events / 2);
    await withLoaded(source, memories, async (dataDir) => {
      await addUpdatesAndSearches(dataDir, memories, source);
      const program = await Program.start({ dataDir, embedder: 'deterministic', profile });
      const client = await adminOf(program);
      const { ms } = await timed(() => program.caughtUp());
      report.note(`the live read models took ${(ms / 1_000).toFixed(0)} s for the updates and searches`);
      await measure(program, client, report);
      client.close();
      await program.stop();
    });
    report.note(
      `${memories} stores, ${Math.floor(memories / 3)} updates of the text, as many searches with 10 results`,
    );
    report.note('vectors come from the deterministic embedder and are kept: the rebuild embeds nothing');
  },
};

async function measure(program: Program, client: HttpClient, report: Report): Promise<void> {
  const { head } = await program.lag();
  const names = (await projections(client)).map(({ name }) => name as string);
  const memory: number[] = [];
  const sample = async () => {
    const now = await program.memory();
    if (now !== undefined) memory.push(now);
  };
  await sample();
  const start = performance.now();
  for (const name of names) await client.expect(202, 'POST', `/v1/admin/projections/${name}/rebuild`, {});
  await rebuilt(client, sample);
  const seconds = (performance.now() - start) / 1_000;
  report.figure({
    name: `all ${names.length} read models, ${head.toLocaleString('en-US')} events`,
    value: head / seconds,
    unit: 'events/s',
    target: { of: 'value', least: 5_000 },
  });
  for (const { name, generations } of await projections(client)) {
    const built = (generations as Json[]).find(({ state }) => state === 'ready');
    report.check(`${name}: rebuilt and live have the same digest`, built?.equal === true);
  }
  if (memory.length > 0) {
    const at = (share: number) => memory[Math.round(share * (memory.length - 1))]!.toFixed(0);
    report.figure({ name: 'memory of the process, highest', value: Math.max(...memory), unit: 'MB' });
    report.note(
      `memory in MB before, at each quarter and at the end: ${[0, 0.25, 0.5, 0.75, 1].map(at).join(', ')}`,
    );
  }
}

/** Rebuilds as `stratalog projections rebuild` does: all at once, until the digests of each have been compared. */
async function rebuilt(client: HttpClient, sample: () => Promise<void>): Promise<void> {
  for (;;) {
    await sleep(pollMs);
    await sample();
    const all = await projections(client);
    for (const { name, generations } of all) {
      const failed = (generations as Json[]).find(({ state }) => state === 'failed');
      if (failed) throw new Error(`the rebuild of ${name} failed: ${failed.error}`);
    }
    if (all.every(({ rebuilding }) => !rebuilding)) return;
  }
}

async function projections(client: HttpClient): Promise<Json[]> {
  const { items } = await client.expect(200, 'GET', '/v1/admin/projections');
  return items;
}
