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

/** The way from all the processes to each server. */
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
 * The cluster profile with servers of its own and a process for each role: all of them may be killed and frozen, and the
 * ways between them cut. PostgreSQL's disk can be filled where one can be mounted here.
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

  private constructor(servers: Servers, networks: Networks, disk: SmallDisk | undefined) {
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
    };
  }

  /** Starts the servers, and then a process for each role named; a role may be named several times. */
  static async start(roles: readonly Role[]): Promise<Cluster> {
    const [events, kafka, postgres, openSearch] = await Promise.all(Array.from({ length: 4 }, Network.open));
    const networks = { events, kafka, postgres, openSearch } as Networks;
    const disk = whyNoSmallDisk() === undefined ? await SmallDisk.mount(diskMegabytes) : undefined;
    const servers = await startServers(networks, disk);
    networks.events.leadTo(servers.events.port);
    networks.kafka.leadTo(servers.kafka.port);
    networks.postgres.leadTo(servers.postgres.port);
    networks.openSearch.leadTo(servers.openSearch.port);
    const cluster = new Cluster(servers, networks, disk);
    await Promise.all(roles.map((role) => cluster.add(role)));
    return cluster;
  }

  of(role: Role): TestServer[] {
    return this.#processes.filter((process) => process.role === role).map(({ server }) => server);
  }

  get urls(): string[] {
    return this.of('api').map(({ url }) => url);
  }

  /** One more process, which is ready when this resolves. */
  async add(role: Role): Promise<TestServer> {
    const server = await startServer({ environment: this.#environment, args: ['--role', role] });
    this.#processes.push({ role, server });
    return server;
  }

  /** SIGKILL to a process, which does not come back. */
  async kill(server: TestServer): Promise<void> {
    this.#processes.splice(
      this.#processes.findIndex((process) => process.server === server),
      1,
    );
    await server.remove();
  }

  /** What the processes that run have warned of, the latest last: to be shown where a test fails. */
  complaints(most = 40): string[] {
    return this.#processes.flatMap(({ role, server }) =>
      server.log
        // What is no JSON does not come from its logger.
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
    // Clients go where the broker says it is. It takes requests once it is asked for: the processes wait for it.
    PrivateKafka.start(() => ({
      settings: { 'advertised.listeners': `BROKER://127.0.0.1:${kafka.port}` },
    })),
    PrivatePostgres.start(postgresPrograms()!, disk),
    PrivateOpenSearch.start(openSearchHome()!),
  ]);
  return { events, kafka: broker, postgres, openSearch };
}
