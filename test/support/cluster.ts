import { randomBytes } from 'node:crypto';
import { hasKafka, PrivateKafka } from './private-kafka.ts';
import { PrivateKurrent } from './private-kurrent.ts';
import { openSearchHome, PrivateOpenSearch } from './private-opensearch.ts';
import { postgresPrograms, PrivatePostgres } from './private-postgres.ts';
import { startServer, type TestServer } from './server.ts';

export type Role = 'api' | 'relay' | 'projector' | 'worker';

/** Whether the servers of a cluster can be started here. */
export const hasCluster = hasKafka() && openSearchHome() !== undefined && postgresPrograms() !== undefined;

/** The cluster profile with servers of its own and a process for each role: all of them may be killed and frozen. */
export class Cluster {
  readonly events: PrivateKurrent;
  readonly kafka: PrivateKafka;
  readonly postgres: PrivatePostgres;
  readonly openSearch: PrivateOpenSearch;
  readonly #processes: { readonly role: Role; readonly server: TestServer }[] = [];
  readonly #environment: Readonly<Record<string, string>>;

  private constructor(
    events: PrivateKurrent,
    kafka: PrivateKafka,
    postgres: PrivatePostgres,
    openSearch: PrivateOpenSearch,
  ) {
    this.events = events;
    this.kafka = kafka;
    this.postgres = postgres;
    this.openSearch = openSearch;
    this.#environment = {
      STRATALOG_PROFILE: 'cluster',
      STRATALOG_EMBEDDER: 'deterministic',
      STRATALOG_VAULT_KEY: randomBytes(32).toString('base64'),
      STRATALOG_EVENTSTORE_URL: events.url,
      STRATALOG_KAFKA_BROKERS: kafka.address,
      STRATALOG_POSTGRES_URL: postgres.url(),
      STRATALOG_OPENSEARCH_URL: openSearch.url,
    };
  }

  /** Starts the servers, and then a process for each role named; a role may be named several times. */
  static async start(roles: readonly Role[]): Promise<Cluster> {
    const cluster = new Cluster(
      ...(await Promise.all([
        PrivateKurrent.start(),
        // It takes requests once it is asked for: the processes wait for it.
        PrivateKafka.start(),
        PrivatePostgres.start(postgresPrograms()!),
        PrivateOpenSearch.start(openSearchHome()!),
      ])),
    );
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
        .filter((line) => (JSON.parse(line) as { level: number }).level >= 40)
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
  }
}
