import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PrivatePostgres } from './private-postgres.ts';
import { selfSigned } from './tls-front.ts';

const user = 'guarded';
const password = 'a secret of this test';

/** A PostgreSQL server for one test that requires TLS and a password. */
export class SecuredPostgres {
  readonly password = password;
  /** The server's self-signed certificate in PEM. */
  readonly certificate: string;
  readonly #server: PrivatePostgres;

  private constructor(server: PrivatePostgres, certificate: string) {
    this.#server = server;
    this.certificate = certificate;
  }

  static async start(programs: string): Promise<SecuredPostgres> {
    const server = await PrivatePostgres.start(programs);
    const { key, cert } = await selfSigned();
    const [row] = await server.query('show data_directory');
    const data = String(row!['data_directory']);
    await writeFile(path.join(data, 'server.key'), key, { mode: 0o600 });
    await writeFile(path.join(data, 'server.crt'), cert);
    const access = path.join(data, 'pg_hba.conf');
    const rules = `hostssl all ${user} 127.0.0.1/32 scram-sha-256\nhostnossl all ${user} 127.0.0.1/32 reject\n`;
    await writeFile(access, rules + (await readFile(access, 'utf8')));
    await server.query(`create role ${user} login password '${password}'`);
    await server.query(`grant stratalog_query to ${user} with inherit false, set true`);
    await server.query(`grant all on database stratalog to ${user}`);
    await server.query('alter system set ssl = on');
    await server.query('select pg_reload_conf()');
    return new SecuredPostgres(server, cert);
  }

  /** URL with options such as `sslmode=verify-full`. */
  url(options: string, word = password): string {
    return `postgres://${user}:${encodeURIComponent(word)}@127.0.0.1:${this.#server.port}/stratalog?${options}`;
  }

  remove(): Promise<void> {
    return this.#server.remove();
  }
}
