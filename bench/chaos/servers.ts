import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, hasCluster, type Role } from '../../test/support/cluster.ts';
import { faultClasses } from '../../test/support/cluster-faults.ts';
import type { ServerAddress } from '../../test/support/server.ts';
import { whyNoSmallDisk } from '../../test/support/small-disk.ts';
import { Disturbance } from './disturbance.ts';
import { switched, type ChaosFault, type World } from './world.ts';

const roles: readonly Role[] = ['api', 'api', 'relay', 'relay', 'projector', 'projector', 'worker'];
const stepMs = 3_600_000;
const pollMs = 200;

/** The profile `cluster` with real PostgreSQL, Kafka and OpenSearch, the stand-in for KurrentDB, and one process per role or two. */
export class ServersWorld implements World {
  readonly profile = 'servers';
  readonly hasDensePositions = false;
  readonly urls: string[] = [];
  readonly skipped: readonly string[];
  readonly faults: readonly ChaosFault[];
  readonly #cluster: Cluster;
  readonly #disturbance: Disturbance;
  readonly #following = new AbortController();

  private constructor(cluster: Cluster, disturbance: Disturbance, whyNoDisk: string | undefined) {
    this.#cluster = cluster;
    this.#disturbance = disturbance;
    this.skipped = [
      ...(whyNoDisk === undefined ? [] : [`full disk: none can be mounted here (${whyNoDisk})`]),
      'slow disk: the servers are programs of others; their connections are slowed down instead',
    ];
    this.faults = [...clusterFaults(cluster, whyNoDisk), ...this.#clockFaults()];
    this.#follow();
    void this.#keepFollowing();
  }

  static async start(): Promise<ServersWorld> {
    if (!hasCluster)
      throw new Error('the servers are missing: npm run stack -- fetch postgres kafka opensearch');
    const disturbance = await Disturbance.open();
    const cluster = await Cluster.start(roles, disturbance.environment);
    return new ServersWorld(cluster, disturbance, whyNoSmallDisk());
  }

  get address(): ServerAddress {
    return this.#cluster.of('api')[0]!;
  }

  get endedByThemselves(): string[] {
    return this.#cluster.ended.map(
      ({ role, server }) => `a process of role ${role} ended by itself: ${server.log.at(-1)}`,
    );
  }

  async heal(): Promise<void> {
    await this.#disturbance.set({});
    for (const network of Object.values(this.#cluster.networks)) network.heal();
  }

  async remove(): Promise<void> {
    this.#following.abort();
    await this.#cluster.remove();
    await this.#disturbance.remove();
  }

  #clockFaults(): ChaosFault[] {
    const normal = () => this.#disturbance.set({});
    const stepped = (name: string, direction: 1 | -1): ChaosFault =>
      switched(
        name,
        [4_000, 10_000],
        (random) => this.#disturbance.set({ clockMs: direction * random.int(1_000, stepMs) }),
        normal,
      );
    return [stepped('the clock steps forward', 1), stepped('the clock steps back', -1)];
  }

  async #keepFollowing(): Promise<void> {
    while (!this.#following.signal.aborted) {
      this.#follow();
      await sleep(pollMs);
    }
  }

  /** While no process serves the API, the load keeps asking those that did. */
  #follow(): void {
    const { urls } = this.#cluster;
    if (urls.length > 0) this.urls.splice(0, this.urls.length, ...urls);
  }
}

/** The faults of the cluster tests, which have durations of their own. */
function clusterFaults(cluster: Cluster, whyNoDisk: string | undefined): ChaosFault[] {
  const usualMs = 8_000;
  const faults = Object.values(faultClasses(whyNoDisk)).flatMap((faultsOfClass) =>
    Object.entries(faultsOfClass),
  );
  return faults.map(([name, fault]) => ({
    name,
    lasts: [usualMs, usualMs],
    inject: (_, random) => fault(cluster, random),
  }));
}
