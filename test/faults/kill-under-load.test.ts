import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Load } from '../support/load.ts';
import { caughtUp, LogReader, rebuild } from '../support/log-reader.ts';
import { faultsOfAnswers, faultsOfCommands, faultsOfLog, faultsOfSearches } from '../support/oracle.ts';
import { faultSeed, randomOf } from '../support/random.ts';
import { readModelNames } from '../support/read-model-names.ts';
import { startServer, type TestServer } from '../support/server.ts';

const kills = Number(process.env['STRATALOG_FAULT_KILLS'] ?? 3);
const seed = faultSeed('kill-under-load');

describe('a server that is repeatedly killed under load', () => {
  let dataDir: string;
  let server: TestServer;
  let load: Load;
  let log: LogReader;
  const random = randomOf(seed);
  const start = (): Promise<TestServer> =>
    startServer({
      dataDir,
      environment: { STRATALOG_PROFILE: 'embedded', STRATALOG_EMBEDDER: 'deterministic' },
    });

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'stratalog-kill-'));
    server = await start();
    // There are always requests in progress. A longer log would only make each comparison take longer.
    load = await Load.begin(server, { seed, pauseMs: 20 });
    log = new LogReader(load.tenants);
  });

  afterAll(async () => {
    await server.remove();
    await rm(dataDir, { recursive: true, force: true });
  });

  it.each(Array.from({ length: kills }, (_, index) => index + 1))(
    'has every acknowledged command exactly once, after kill %i',
    async () => {
      const before = load.commands.length;
      const ended = new AbortController();
      const running = load.run([server.url], random.int(8, 16), ended.signal);
      await sleep(random.int(300, 1_500));
      await server.stop('SIGKILL');
      ended.abort();
      await running;
      server = await start();

      await load.repeat(server.url, [...load.unsettled(), ...load.sampleAcknowledged(20)]);
      const head = await caughtUp(server);
      await log.read(server.url);
      expect(faultsOfLog(log.events, head)).toEqual([]);
      expect(faultsOfCommands(load.commands.slice(before), log.events)).toEqual([]);
      expect(faultsOfSearches(load.searches, log.events, false)).toEqual([]);
      expect(load.unsettled()).toEqual([]);
      expect(load.surprises).toEqual([]);
      expect(await faultsOfAnswers(server.url, random.pick(load.tenants), log.events, 25)).toEqual([]);
      const [compared] = await rebuild(server.url, load.tenants[0]!.key, random.pick(readModelNames));
      expect(compared).toMatchObject({ equal: true });
    },
  );

  it('finally has every command, memory and history as in the log, from its first event on', async () => {
    const head = await caughtUp(server);
    const whole = new LogReader(load.tenants);
    await whole.read(server.url);
    process.stdout.write(`${head} events, ${JSON.stringify(load.figures())}\n`);
    expect(faultsOfLog(whole.events, head)).toEqual([]);
    expect(faultsOfCommands(load.commands, whole.events)).toEqual([]);
    for (const tenant of load.tenants)
      expect(await faultsOfAnswers(server.url, tenant, whole.events, 500)).toEqual([]);
  });

  it('has read models that all equal a rebuild', async () => {
    const compared = await rebuild(server.url, load.tenants[0]!.key);
    expect(compared.map(({ name }) => name).sort()).toEqual(readModelNames);
    expect(compared.filter(({ equal }) => !equal)).toEqual([]);
  });
});
