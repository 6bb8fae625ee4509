import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { postgresProgramsIn } from '../../stack/postgres-packages.mjs';
import { freePort } from './free-port.ts';
import type { SmallDisk } from './small-disk.ts';

const run = promisify(execFile);

/** Folder of the PostgreSQL programs: STACK_POSTGRES_BIN, or those that `npm run stack -- up postgres` fetches. Undefined if there are none. */
export function postgresPrograms(): string | undefined {
  const folder = process.env['STACK_POSTGRES_BIN'] ?? postgresProgramsIn(path.resolve('.stack/postgres'));
  return existsSync(path.join(folder, 'initdb')) ? folder : undefined;
}

/** A PostgreSQL server for one test, which can be frozen, killed, and restarted with the same port and data. */
export class PrivatePostgres {
  readonly port: number;
  readonly #home: string;
  readonly #launch: () => ChildProcess;
  #process: ChildProcess;

  private constructor(home: string, port: number, launch: () => ChildProcess) {
    this.#home = home;
    this.port = port;
    this.#launch = launch;
    this.#process = launch();
  }

  /** On a small `disk`, its write-ahead log is limited to a few segments. */
  static async start(programs: string, disk?: SmallDisk): Promise<PrivatePostgres> {
    const home = disk?.mountPoint ?? (await mkdtemp(path.join(tmpdir(), 'stratalog-postgres-')));
    const data = path.join(home, 'data');
    const environment = { PATH: process.env['PATH'], HOME: home, LC_ALL: 'C' };
    // PostgreSQL refuses to run as root. In a user namespace the same user has another id.
    const asUser =
      process.getuid?.() === 0 ? ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--'] : [];
    const prefix = [...(disk?.prefix ?? []), ...asUser];
    const [initialise, ...words] = [...prefix, path.join(programs, 'initdb')];
    const options = ['-D', data, '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--auth=trust', '--no-sync'];
    await run(initialise, [...words, ...options], { env: environment });
    const port = await freePort();
    const settings = {
      port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      shared_preload_libraries: 'pg_textsearch',
      timezone: 'UTC',
      max_connections: 60,
      ...(disk && { max_wal_size: '96MB' }),
    };
    const [command, ...args] = [...prefix, path.join(programs, 'postgres'), '-D', data];
    for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`);
    const launch = () => spawn(command, args, { env: environment, cwd: home, stdio: 'ignore' });
    const server = new PrivatePostgres(home, port, launch);
    await server.#ready();
    await server.#prepare();
    return server;
  }

  /** Kills every process of the server with SIGKILL, so nothing more is written. */
  async kill(): Promise<void> {
    const ended = once(this.#process, 'exit');
    for (const pid of this.#processes()) signal(pid, 'SIGKILL');
    await ended;
  }

  /** Restarts it after a `kill`. Resolves when it accepts connections. */
  async restart(): Promise<void> {
    this.#process = this.#launch();
    await this.#ready();
  }

  get isRunning(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  url(user = 'stratalog', database = 'stratalog'): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`;
  }

  /** Runs one statement as `user` and returns its rows. */
  async query(text: string, params: unknown[] = [], user = 'postgres'): Promise<Record<string, unknown>[]> {
    return this.session(user, async (client) => (await client.query(text, params)).rows);
  }

  async session<T>(user: string, work: (client: Client) => Promise<T>, database?: string): Promise<T> {
    const client = new Client({ connectionString: this.url(user, database) });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  /** Creates an empty database with both extensions, owned by the login that row-level security applies to. */
  async createDatabase(name: string): Promise<string> {
    await this.session(
      'postgres',
      (client) => client.query(`create database ${name} owner stratalog`),
      'postgres',
    );
    await this.session(
      'postgres',
      async (client) => {
        await client.query('create extension vector');
        await client.query('create extension pg_textsearch');
      },
      name,
    );
    return this.url('stratalog', name);
  }

  /** Suspends every process of the server: it neither answers nor closes connections. */
  freeze(): void {
    for (const pid of this.#processes()) signal(pid, 'SIGSTOP');
  }

  thaw(): void {
    for (const pid of this.#processes()) signal(pid, 'SIGCONT');
  }

  async remove(): Promise<void> {
    this.thaw();
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGINT');
    await ended;
    await rm(this.#home, { recursive: true, force: true });
  }

  async #ready(): Promise<void> {
    const giveUp = Date.now() + 120_000;
    for (;;) {
      try {
        await this.session('postgres', (client) => client.query('select 1'), 'postgres');
        return;
      } catch (error) {
        if (Date.now() > giveUp || this.#process.exitCode !== null) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  async #prepare(): Promise<void> {
    await this.session(
      'postgres',
      async (client) => {
        await client.query('create role stratalog login nosuperuser nocreaterole nobypassrls');
        await client.query('create role stratalog_query nologin');
        await client.query('grant stratalog_query to stratalog with inherit false, set true');
      },
      'postgres',
    );
    await this.createDatabase('stratalog');
  }

  /** Ids of the server's processes, the postmaster first, so that it cannot start others meanwhile. */
  #processes(): number[] {
    const own = this.#process.pid!;
    const others = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === own);
    return [own, ...others.map(Number)];
  }
}

/** Sends a signal to a process, which may already have ended. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function parentOf(pid: string): number | undefined {
  try {
    const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return Number(parent);
  } catch {
    return undefined;
  }
}
