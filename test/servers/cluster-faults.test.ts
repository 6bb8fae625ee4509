import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { Cluster, hasCluster, type Role } from '../support/cluster.ts';
import { Load } from '../support/load.ts';
import { caughtUp, LogReader, rebuild } from '../support/log-reader.ts';
import { faultsOfAnswers, faultsOfCommands, faultsOfLog, faultsOfSearches } from '../support/oracle.ts';
import { faultSeed, randomOf } from '../support/random.ts';

const rounds = Number(process.env['STRATALOG_FAULT_ROUNDS'] ?? 1);
const seed = faultSeed('cluster-faults');
const roles: readonly Role[] = ['api', 'api', 'relay', 'relay', 'projector', 'projector', 'worker'];

/** Something goes wrong, and resolves when it is over. */
type Fault = (cluster: Cluster) => Promise<void>;

interface Freezable {
  freeze(): void;
  thaw(): void;
}

const killed =
  (role: Role): Fault =>
  async (cluster) => {
    await cluster.kill(cluster.of(role)[0]!);
    await cluster.add(role);
  };

const frozenProcess =
  (role: Role): Fault =>
  async (cluster) => {
    const { process } = cluster.of(role)[0]!;
    process.kill('SIGSTOP');
    // Longer than its lease and its session: another one takes over, and this one wakes as a zombie.
    await sleep(8_000);
    process.kill('SIGCONT');
  };

const frozen =
  (server: (cluster: Cluster) => Freezable): Fault =>
  async (cluster) => {
    server(cluster).freeze();
    await sleep(6_000);
    server(cluster).thaw();
  };

const faults: Readonly<Record<string, Fault>> = {
  'an api process is killed': killed('api'),
  'the relay is killed': killed('relay'),
  'a projector is killed': killed('projector'),
  'the worker is killed': killed('worker'),
  'a relay is frozen': frozenProcess('relay'),
  'a projector is frozen': frozenProcess('projector'),
  'the event store is killed': async ({ events }) => {
    await events.kill();
    await sleep(1_000);
    await events.restart();
  },
  'Kafka is killed': async ({ kafka }) => {
    await kafka.kill();
    await kafka.launch();
  },
  'PostgreSQL is killed': async ({ postgres }) => {
    await postgres.kill();
    await sleep(1_000);
    await postgres.restart();
  },
  'OpenSearch is killed': async ({ openSearch }) => {
    await openSearch.kill();
    await openSearch.restart();
  },
  'the event store is frozen': frozen(({ events }) => events),
  'Kafka is frozen': frozen(({ kafka }) => kafka),
  'PostgreSQL is frozen': frozen(({ postgres }) => postgres),
  'OpenSearch is frozen': frozen(({ openSearch }) => openSearch),
};

describe.runIf(hasCluster)('a cluster under load in which something fails', () => {
  let cluster: Cluster;
  let load: Load;
  const random = randomOf(seed);

  beforeAll(async () => {
    cluster = await Cluster.start(roles);
    load = await Load.begin(cluster.of('api')[0]!, { seed, pauseMs: 20 });
  }, 180_000);

  afterAll(() => cluster?.remove(), 60_000);

  const cases = Array.from({ length: rounds }, () => Object.entries(faults)).flat();

  it.each(cases)(
    '[G2] [G3] has every acknowledged command once, and read models that follow, after %s',
    async (_, fault) => {
      onTestFailed(() => void process.stdout.write(`${cluster.complaints().join('\n')}\n`));
      const before = load.commands.length;
      const ended = new AbortController();
      const running = load.run(cluster.urls, 6, ended.signal);
      await sleep(random.int(500, 1_500));
      await fault(cluster);
      await sleep(500);
      ended.abort();
      await running;

      const url = random.pick(cluster.urls);
      await caughtUp(url, 90_000);
      await load.repeat(url, [...load.unsettled(), ...load.sampleAcknowledged(10)]);
      await caughtUp(url, 90_000);
      const log = new LogReader(load.tenants);
      await log.read(url);
      expect(faultsOfLog(log.events)).toEqual([]);
      expect(faultsOfCommands(load.commands.slice(before), log.events)).toEqual([]);
      expect(faultsOfSearches(load.searches, log.events, false)).toEqual([]);
      expect(load.unsettled()).toEqual([]);
      expect(load.surprises).toEqual([]);
      expect(await faultsOfAnswers(url, random.pick(load.tenants), log.events, 25)).toEqual([]);
      const compared = await rebuild(url, load.tenants[0]!.key);
      expect(compared.filter(({ equal }) => !equal)).toEqual([]);
    },
    240_000,
  );
});
