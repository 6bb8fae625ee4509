// Connections whose requests never end, and what a quiet caller notices of them.
import net, { type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Benchmark } from '../support/benchmark.ts';
import { textOf } from '../support/floods.ts';
import { withScratch } from '../support/folders.ts';
import { adminKeyOf, adminOf } from '../support/loaded.ts';
import { Program } from '../support/program.ts';
import { randomFrom } from '../support/random.ts';
import { inLanes, percentile, timed } from '../support/statistics.ts';

const usual = 10_000;
const memories = 500;
const searches = 100;
/** Connections opened at a time; the backlog of a listening socket is bounded. */
const lanes = 100;
const patienceMs = 150_000;

export const halfOpen: Benchmark = {
  name: 'half-open',
  about: `searches of a quiet caller beside ${usual} connections (--count) whose head or body never ends`,
  async run({ profile, count = usual, seed }, report) {
    await withScratch(async (folder) => {
      const program = await Program.start({
        dataDir: path.join(folder, 'data'),
        embedder: 'deterministic',
        profile,
      });
      const next = randomFrom(seed);
      const client = await adminOf(program);
      const key = await adminKeyOf(program);
      await client.bulk(
        Array.from({ length: memories }, (_, n) => ({ content: `${textOf(12, next)} ${n}` })),
      );
      await program.caughtUp();
      const times = async (): Promise<number> => {
        const all: number[] = [];
        for (let n = 0; n < searches; n++) {
          const query = textOf(5, next);
          all.push((await timed(() => client.expect(200, 'POST', '/v1/search', { query }))).ms);
        }
        return percentile(all, 0.95);
      };
      await times();
      const [alone, before] = [await times(), await program.memory()];
      const sockets = await openAll(program.url, key, count);
      const beside = await times();
      const open = sockets.filter(({ closed }) => !closed).length;
      const after = await program.memory();
      report.check('the connections are open meanwhile', open > 0.9 * count, `${open} of ${count}`);
      report.figure({
        name: `quiet search p95 beside ${open} half-open connections`,
        value: beside,
        unit: 'ms',
        baseline: { name: 'alone', value: alone },
        target: { of: 'ratio', most: 2 },
      });
      if (before !== undefined && after !== undefined)
        report.figure({
          name: 'memory they take',
          value: after - before,
          unit: 'MB',
          target: { of: 'value', most: 300 },
        });
      const { ms } = await timed(() => allClosed(sockets));
      const left = sockets.filter(({ closed }) => !closed).length;
      report.check(
        'the server ends all of them',
        left === 0,
        `${left} left after ${Math.round(ms / 1_000)} s`,
      );
      for (const socket of sockets) socket.destroy();
      await client.expect(200, 'POST', '/v1/search', { query: textOf(5, next) });
      client.close();
      await program.stop();
    });
  },
};

/** Half of them stop within the head of a request, half within its body. */
async function openAll(url: string, key: string, count: number): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const head = 'POST /v1/search HTTP/1.1\r\nhost: localhost\r\n';
  const body = `${head}authorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"que`;
  const sockets: Socket[] = [];
  await inLanes(lanes, count, async (index) => {
    const socket = net.connect(Number(port), hostname);
    sockets.push(socket);
    // An answer such as 408 must be read, or the end of the connection is never noticed.
    socket.resume();
    await new Promise<void>((resolve) => {
      socket.once('connect', () => resolve());
      socket.on('error', () => resolve());
    });
    socket.write(index % 2 === 0 ? head : body);
  });
  return sockets;
}

async function allClosed(sockets: readonly Socket[]): Promise<void> {
  for (const end = performance.now() + patienceMs; performance.now() < end; await sleep(250))
    if (sockets.every(({ closed }) => closed)) return;
}
