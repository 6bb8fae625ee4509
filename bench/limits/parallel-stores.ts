// Many stores at the same instant: none is lost, doubled or left without an answer.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { Benchmark } from '../support/benchmark.ts';
import { withScratch } from '../support/folders.ts';
import type { HttpClient, Json } from '../support/http.ts';
import { Program } from '../support/program.ts';
import { timed } from '../support/statistics.ts';

const usual = 1_000;

export const parallelStores: Benchmark = {
  name: 'parallel-stores',
  about: `${usual} stores (--count) of one caller at the same instant, each on a connection of its own`,
  async run({ profile, count = usual }, report) {
    await withScratch(async (folder) => {
      const program = await Program.start({
        dataDir: path.join(folder, 'data'),
        embedder: 'deterministic',
        profile,
      });
      const client = await program.client({ tenant: 'stores', role: 'admin', user: 'ada' });
      const key = await program.newKey({ tenant: 'stores', role: 'admin', user: 'ada' });
      const statuses = new Map<number, number>();
      const acknowledged: number[] = [];
      const store = async (n: number): Promise<void> => {
        const status = await fetch(`${program.url}/v1/memories`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${key}`,
            'content-type': 'application/json',
            'idempotency-key': randomUUID(),
          },
          body: JSON.stringify({
            content: `The invoice of order ${n} was paid`,
            tags: [`n${n}`],
            duplicates: 'keep',
          }),
        }).then(
          async (response) => {
            await response.arrayBuffer();
            return response.status;
          },
          () => 0,
        );
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 201) acknowledged.push(n);
      };
      const { ms } = await timed(() => Promise.all(Array.from({ length: count }, (_, n) => store(n))));
      await program.caughtUp();
      const listed = await timesListed(client);
      const answered = [...statuses]
        .filter(([status]) => status !== 0)
        .reduce((sum, [, times]) => sum + times, 0);
      const lost = acknowledged.filter((n) => !listed.has(`n${n}`)).length;
      const doubled = [...listed.values()].filter((times) => times > 1).length;
      const most = { of: 'value', most: 0 } as const;
      report.figure({ name: 'acknowledged', value: acknowledged.length, unit: '' });
      report.figure({ name: 'lost', value: lost, unit: '', target: most });
      report.figure({ name: 'doubled', value: doubled, unit: '', target: most });
      report.figure({ name: 'without an answer', value: count - answered, unit: '', target: most });
      report.figure({ name: 'until the last answer', value: ms, unit: 'ms' });
      report.check('none is lost or doubled', lost === 0 && doubled === 0);
      report.check('each is acknowledged or refused', answered === count, JSON.stringify([...statuses]));
      client.close();
      await program.stop();
    });
  },
};

/** How often each tag occurs in the list of all memories. */
async function timesListed(client: HttpClient): Promise<Map<string, number>> {
  const listed = new Map<string, number>();
  for (let cursor = ''; ;) {
    const page = await client.expect(200, 'GET', `/v1/memories?limit=500${cursor}`);
    for (const { tags } of page.items as Json[]) listed.set(tags[0], (listed.get(tags[0]) ?? 0) + 1);
    if (page.nextCursor === undefined) return listed;
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
}
