import { randomBytes } from 'node:crypto';
import { Network } from './network.ts';
import { hasKafka, PrivateKafka } from './private-kafka.ts';
import { PrivateKurrent } from './private-kurrent.ts';
import { openSearchHome, PrivateOpenSearch } from './private-opensearch.ts';
import { postgresPrograms, PrivatePostgres } from './private-postgres.ts';
import { startServer, type TestServer } from './server.ts';
import { SmallDisk, whyNoSmallDisk } from './small-disk.ts';

export type Role = 'api' | 'relay' | 'projector' | 'worker';

/** Whether the servers of a cluster can be started here. */
export const hasCluster = hasKafka() && openSearchHome() !== undefined && postgresPrograms() !== undefined;

const diskMegabytes = 768;

/** The proxy to each server, which all processes use. */
export interface Networks {
  readonly events: Network;
  readonly kafka: Network;
  readonly postgres: Network;
  readonly openSearch: Network;
}

interface Servers {
  readonly events: PrivateKurrent;
  readonly kafka: PrivateKafka;
  readonly postgres: PrivatePostgres;
  readonly openSearch: PrivateOpenSearch;
}

/**
 * The cluster profile with its own servers and one process per role. All of them can be killed and frozen, and the connections
 * between them cut. PostgreSQL's disk can be filled if a small disk can be mounted here.
 */
export class Cluster implements Servers {
  readonly events: PrivateKurrent;
  readonly kafka: PrivateKafka;
  readonly postgres: PrivatePostgres;
  readonly openSearch: PrivateOpenSearch;
  readonly networks: Networks;
  readonly disk: SmallDisk | undefined;
  readonly #processes: { readonly role: Role; readonly server: TestServer }[] = [];
  readonly #environment: Readonly<Record<string, string>>;

  private constructor(
    servers: Servers,
    networks: Networks,
    disk: SmallDisk | undefined,
    environment: Readonly<Record<string, string>>,
  ) {
    this.events = servers.events;
    this.kafka = servers.kafka;
    this.postgres = servers.postgres;
    this.openSearch = servers.openSearch;
    this.networks = networks;
    this.disk = disk;
    this.#environment = {
      STRATALOG_PROFILE: 'cluster',
      STRATALOG_EMBEDDER: 'deterministic',
      STRATALOG_VAULT_KEY: randomBytes(32).toString('base64'),
      STRATALOG_EVENTSTORE_URL: `esdb://127.0.0.1:${networks.events.port}?tls=false`,
      STRATALOG_KAFKA_BROKERS: `127.0.0.1:${networks.kafka.port}`,
      STRATALOG_POSTGRES_URL: `postgres://stratalog@127.0.0.1:${networks.postgres.port}/stratalog`,
      STRATALOG_OPENSEARCH_URL: `http://127.0.0.1:${networks.openSearch.port}`,
      ...environment,
    };
  }

  /**
   * Starts the servers, and then one process per entry of `roles`, which may repeat a role. `environment` has further settings of
   * all processes.
   */
  static async start(
    roles: readonly Role[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Cluster> {
    const [events, kafka, postgres, openSearch] = await Promise.all(Array.from({ length: 4 }, Network.open));
    const networks = { events, kafka, postgres, openSearch } as Networks;
    const disk = whyNoSmallDisk() === undefined ? await SmallDisk.mount(diskMegabytes) : undefined;
    const servers = await startServers(networks, disk);
    networks.events.leadTo(servers.events.port);
    networks.kafka.leadTo(servers.kafka.port);
    networks.postgres.leadTo(servers.postgres.port);
    networks.openSearch.leadTo(servers.openSearch.port);
    const cluster = new Cluster(servers, networks, disk, environment);
    await Promise.all(roles.map((role) => cluster.add(role)));
    return cluster;
  }

  of(role: Role): TestServer[] {
    return this.#processes.filter((process) => process.role === role).map(({ server }) => server);
  }

  /** Processes that ended although nobody killed them. */
  get ended(): { readonly role: Role; readonly server: TestServer }[] {
    return this.#processes.filter(
      ({ server: { process } }) => process.exitCode !== null || process.signalCode !== null,
    );
  }

  get urls(): string[] {
    return this.of('api').map(({ url }) => url);
  }

  /** Starts another process and waits until it is ready. */
  async add(role: Role): Promise<TestServer> {
    const server = await startServer({ environment: this.#environment, args: ['--role', role] });
    this.#processes.push({ role, server });
    return server;
  }

  /** Kills a process with SIGKILL. It is not restarted. */
  async kill(server: TestServer): Promise<void> {
    this.#processes.splice(
      this.#processes.findIndex((process) => process.server === server),
      1,
    );
    await server.remove();
  }

  /** The last warnings of the running processes, to be shown when a test fails. */
  recentWarnings(most = 40): string[] {
    return this.#processes.flatMap(({ role, server }) =>
      server.log
        // Lines that are not JSON do not come from the logger.
        .filter((line) => !line.startsWith('{') || (JSON.parse(line) as { level: number }).level >= 40)
        .slice(-most)
        .map((line) => `${role} ${line.slice(0, 600)}`),
    );
  }

  async remove(): Promise<void> {
    await Promise.all(this.#processes.map(({ server }) => server.remove()));
    await Promise.all([
      this.events.remove(),
      this.kafka.remove(),
      this.postgres.remove(),
      this.openSearch.remove(),
    ]);
    await Promise.all(Object.values(this.networks).map((network: Network) => network.close()));
    await this.disk?.remove();
  }
}

async function startServers({ kafka }: Networks, disk: SmallDisk | undefined): Promise<Servers> {
  const [events, broker, postgres, openSearch] = await Promise.all([
    PrivateKurrent.start(),
    // Clients connect to the address that the broker advertises. Not awaited until it accepts requests, because the processes wait for it.
    PrivateKafka.start(() => ({
      settings: { 'advertised.listeners': `BROKER://127.0.0.1:${kafka.port}` },
    })),
    PrivatePostgres.start(postgresPrograms()!, disk),
    PrivateOpenSearch.start(openSearchHome()!),
  ]);
  return { events, kafka: broker, postgres, openSearch };
}
