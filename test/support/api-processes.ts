import { randomBytes } from 'node:crypto';
import type { PrivatePostgres } from './private-postgres.ts';
import { startServer, type TestServer } from './server.ts';

/** Processes with all roles that share one database and one vault. */
export class ApiProcesses {
  readonly servers: TestServer[] = [];
  readonly #environment: Readonly<Record<string, string>>;

  private constructor(databaseUrl: string, more: Readonly<Record<string, string>>) {
    this.#environment = {
      STRATALOG_PROFILE: 'postgres',
      STRATALOG_EMBEDDER: 'deterministic',
      STRATALOG_POSTGRES_URL: databaseUrl,
      STRATALOG_VAULT_KEY: randomBytes(32).toString('base64'),
      ...more,
    };
  }

  /** Starts `count` processes at the same time on a new, empty database. `more` are settings of all of them. */
  static async start(
    postgres: PrivatePostgres,
    count: number,
    more: Readonly<Record<string, string>> = {},
  ): Promise<ApiProcesses> {
    const url = await postgres.createDatabase(`test_${randomBytes(6).toString('hex')}`);
    const processes = new ApiProcesses(url, more);
    await Promise.all(Array.from({ length: count }, () => processes.add()));
    return processes;
  }

  get databaseUrl(): string {
    return this.#environment['STRATALOG_POSTGRES_URL']!;
  }

  get urls(): string[] {
    return this.servers.map(({ url }) => url);
  }

  /** Starts another process, which connects to `databaseUrl`. */
  async add(databaseUrl = this.databaseUrl): Promise<TestServer> {
    const environment = { ...this.#environment, STRATALOG_POSTGRES_URL: databaseUrl };
    const server = await startServer({ environment });
    this.servers.push(server);
    return server;
  }

  async kill(server: TestServer): Promise<void> {
    await server.remove();
    this.servers.splice(this.servers.indexOf(server), 1);
  }

  async remove(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.remove()));
  }
}
