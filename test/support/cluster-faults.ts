import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, Networks, Role } from './cluster.ts';
import type { Random } from './random.ts';

/** Injects a fault into a cluster and resolves when it is over. */
export type Fault = (cluster: Cluster, random: Random) => Promise<void>;

/** Longer than the lease of a relay and the session of a projector, so another process takes over. */
const frozenMs = 8_000;
/** How long a server or connection is unavailable: longer than every client's request timeout. */
const awayMs = 6_000;
/** Delay of a slow connection. */
const slowMs = 80;

interface Freezable {
  freeze(): void;
  thaw(): void;
}

const killedProcess =
  (role: Role): Fault =>
  async (cluster, random) => {
    await cluster.kill(random.pick(cluster.of(role)));
    await cluster.add(role);
  };

const frozenProcess =
  (role: Role): Fault =>
  async (cluster, random) => {
    const { process } = random.pick(cluster.of(role));
    process.kill('SIGSTOP');
    await sleep(frozenMs);
    process.kill('SIGCONT');
  };

const frozen =
  (server: (cluster: Cluster) => Freezable): Fault =>
  async (cluster) => {
    server(cluster).freeze();
    await sleep(awayMs);
    server(cluster).thaw();
  };

const cut =
  (name: keyof Networks): Fault =>
  async ({ networks }, random) => {
    // A short cut breaks requests in progress; a long one also fails every retry.
    networks[name].cut();
    await sleep(random.int(50, awayMs));
    networks[name].heal();
  };

const slow =
  (name: keyof Networks): Fault =>
  async ({ networks }) => {
    networks[name].slowDown(slowMs);
    await sleep(awayMs);
    networks[name].heal();
  };

const fullDisk: Fault = async ({ disk, postgres }) => {
  disk!.fill();
  await sleep(awayMs);
  disk!.free();
  // PostgreSQL ends itself if there is no room for its log, and may be about to.
  for (let n = 0; n < 25 && postgres.isRunning; n++) await sleep(200);
  if (!postgres.isRunning) await postgres.restart();
};

/** Faults by class. Those of one class differ in what they affect. */
export type FaultClasses = Readonly<Record<string, Readonly<Record<string, Fault>>>>;

const unprivileged: FaultClasses = {
  'a killed process': {
    'an api process is killed': killedProcess('api'),
    'a relay is killed': killedProcess('relay'),
    'a projector is killed': killedProcess('projector'),
    'the worker is killed': killedProcess('worker'),
  },
  'a frozen process': {
    'an api process is frozen': frozenProcess('api'),
    'a relay is frozen': frozenProcess('relay'),
    'a projector is frozen': frozenProcess('projector'),
  },
  'a killed server': {
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
  },
  'a frozen server': {
    'the event store is frozen': frozen(({ events }) => events),
    'Kafka is frozen': frozen(({ kafka }) => kafka),
    'PostgreSQL is frozen': frozen(({ postgres }) => postgres),
    'OpenSearch is frozen': frozen(({ openSearch }) => openSearch),
  },
  'a cut connection': {
    'the connection to the event store is cut': cut('events'),
    'the connection to Kafka is cut': cut('kafka'),
    'the connection to PostgreSQL is cut': cut('postgres'),
    'the connection to OpenSearch is cut': cut('openSearch'),
  },
  'a slow connection': {
    'the connection to the event store is slow': slow('events'),
    'the connection to Kafka is slow': slow('kafka'),
    'the connection to PostgreSQL is slow': slow('postgres'),
    'the connection to OpenSearch is slow': slow('openSearch'),
  },
};

/** The classes that can be tested here. Filling a disk requires that one can be mounted. */
export function faultClasses(whyNoDisk: string | undefined): FaultClasses {
  if (whyNoDisk !== undefined) return unprivileged;
  return { ...unprivileged, 'a full disk': { 'the disk of PostgreSQL is full': fullDisk } };
}

/** A random fault of each class, with the classes in random order. */
export function oneOfEachClass(classes: FaultClasses, random: Random): string[] {
  const names = Object.values(classes).map((faults) => random.pick(Object.keys(faults)));
  return drawFaults(names, names.length, random);
}

/** `count` names in random order. No name is repeated before all others have been drawn. */
export function drawFaults(names: readonly string[], count: number, random: Random): string[] {
  const drawn: string[] = [];
  while (drawn.length < count) {
    const deck = [...names];
    while (deck.length > 0 && drawn.length < count)
      drawn.push(...deck.splice(random.int(0, deck.length - 1), 1));
  }
  return drawn;
}
