import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiProcesses } from '../support/api-processes.ts';
import { Load } from '../support/load.ts';
import { caughtUp, LogReader, rebuild } from '../support/log-reader.ts';
import { faultsOfAnswers, faultsOfCommands, faultsOfLog, faultsOfSearches } from '../support/oracle.ts';
import { postgresPrograms, PrivatePostgres } from '../support/private-postgres.ts';
import { faultSeed, randomOf } from '../support/random.ts';
import { readModelNames } from '../support/read-model-names.ts';

const programs = postgresPrograms();
/** A fifth of the kills of the embedded profile, because each takes longer. */
const kills = Math.max(3, Math.floor(Number(process.env['STRATALOG_FAULT_KILLS'] ?? 5) / 5));
const seed = faultSeed('kill-api-processes');

describe.runIf(programs)(
  'api processes with one database that are killed under load, one after another',
  () => {
    let postgres: PrivatePostgres;
    let processes: ApiProcesses;
    let load: Load;
    const random = randomOf(seed);

    beforeAll(async () => {
      postgres = await PrivatePostgres.start(programs!);
      processes = await ApiProcesses.start(postgres, 2);
      load = await Load.begin(processes.servers[0]!, { seed });
    }, 300_000);

    afterAll(async () => {
      try {
        await processes.remove();
      } finally {
        await postgres.remove();
      }
    });

    it.each(Array.from({ length: kills }, (_, index) => index + 1))(
      'have every acknowledged command exactly once, after kill %i',
      async () => {
        const ended = new AbortController();
        const running = load.run([...processes.urls], random.int(8, 16), ended.signal);
        await sleep(random.int(300, 1_500));
        await processes.kill(random.pick(processes.servers));
        await sleep(random.int(0, 300));
        ended.abort();
        await running;

        const [survivor] = processes.servers;
        await load.repeat(survivor!.url, [...load.unsettled(), ...load.sampleAcknowledged(20)]);
        await processes.add();
        const head = await caughtUp(survivor!);
        const log = new LogReader(load.tenants);
        await log.read(random.pick(processes.urls));
        expect(faultsOfLog(log.events, head)).toEqual([]);
        expect(faultsOfCommands(load.commands, log.events)).toEqual([]);
        expect(faultsOfSearches(load.searches, log.events, false)).toEqual([]);
        expect(load.unsettled()).toEqual([]);
        expect(load.surprises).toEqual([]);
        const tenant = random.pick(load.tenants);
        expect(await faultsOfAnswers(random.pick(processes.urls), tenant, log.events, 25)).toEqual([]);
      },
    );

    it('finally have read models that all equal a rebuild', async () => {
      process.stdout.write(`${JSON.stringify(load.figures())}\n`);
      const compared = await rebuild(processes.urls[0]!, load.tenants[0]!.key);
      expect(compared).toHaveLength(readModelNames.length);
      expect(compared.filter(({ equal }) => !equal)).toEqual([]);
    });
  },
);
