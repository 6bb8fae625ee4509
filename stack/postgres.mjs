// PostgreSQL 18 with pgvector and pg_textsearch on 127.0.0.1:54329.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { failure } from './failure.mjs';
import { asOrdinaryUser } from './ordinary-user.mjs';
import { portOf } from './ports.mjs';
import { fetchPostgres } from './postgres-packages.mjs';

const run = promisify(execFile);
const port = portOf('STACK_POSTGRES_PORT', 54329);

export const postgres = {
  name: 'postgres',
  url: `postgres://stratalog:stratalog@127.0.0.1:${port}/stratalog`,
  /** Fast shutdown: PostgreSQL closes its sessions and writes a checkpoint. */
  stopSignal: 'SIGINT',
  install,
  command,
  ready,
  prepare,
};

async function install(folder, say) {
  const bin = await binaries(folder, say);
  const data = dataOf(folder);
  if (existsSync(path.join(data, 'PG_VERSION'))) return;
  say('initialising a new database');
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const password = path.join(folder, 'superuser-password');
  writeFileSync(password, randomBytes(18).toString('base64url'), { mode: 0o600 });
  const args = ['-D', data, '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--locale-provider=builtin'];
  args.push('--builtin-locale=C.UTF-8', '--auth=scram-sha-256', `--pwfile=${password}`);
  const [program, ...words] = [...(await asOrdinaryUser('PostgreSQL')), path.join(bin, 'initdb'), ...args];
  await run(program, words, { env: environment(folder), cwd: folder }).catch((error) => {
    throw failure(`initdb failed:\n${error.stderr}`);
  });
}

async function command(folder) {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_preload_libraries: 'pg_textsearch',
    timezone: 'UTC',
    jit: 'off',
    shared_buffers: '256MB',
    maintenance_work_mem: '512MB',
    max_wal_size: '2GB',
  };
  const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const bin = await binaries(folder, () => {});
  const [program, ...args] = [
    ...(await asOrdinaryUser('PostgreSQL')),
    path.join(bin, 'postgres'),
    '-D',
    dataOf(folder),
    ...words,
  ];
  return { command: program, args, env: environment(folder), cwd: folder };
}

async function ready(folder) {
  return asSuperuser(folder, 'postgres', (client) => client.query('select 1')).then(
    () => true,
    () => false,
  );
}

/** Creates a login without superuser rights, the role that row-level security applies to, and a database and a template with both extensions. */
async function prepare(folder) {
  await asSuperuser(folder, 'postgres', async (client) => {
    const has = async (text) => (await client.query(text)).rowCount > 0;
    if (!(await has(`select from pg_roles where rolname = 'stratalog'`)))
      await client.query(
        `create role stratalog login password 'stratalog' nosuperuser nocreaterole nobypassrls`,
      );
    // Tests create their own databases from a template that has the extensions.
    await client.query('alter role stratalog createdb');
    if (!(await has(`select from pg_roles where rolname = 'stratalog_query'`)))
      await client.query('create role stratalog_query nologin');
    await client.query('grant stratalog_query to stratalog with inherit false, set true');
    if (!(await has(`select from pg_database where datname = 'stratalog'`)))
      await client.query('create database stratalog owner stratalog');
    if (!(await has(`select from pg_database where datname = 'stratalog_template'`)))
      await client.query('create database stratalog_template is_template true');
  });
  for (const database of ['stratalog', 'stratalog_template']) {
    await asSuperuser(folder, database, async (client) => {
      await client.query('create extension if not exists vector');
      await client.query('create extension if not exists pg_textsearch');
    });
  }
}

async function asSuperuser(folder, database, work) {
  const password = path.join(folder, 'superuser-password');
  if (!existsSync(password)) throw failure('this server was not initialised here');
  const client = new Client({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    database,
    password: readFileSync(password, 'utf8'),
    connectionTimeoutMillis: 2000,
  });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Folder of the programs: `STACK_POSTGRES_BIN` if it is set, else that of the fetched ones. */
async function binaries(folder, say) {
  const own = process.env['STACK_POSTGRES_BIN'];
  if (!own) return fetchPostgres(folder, say);
  if (!existsSync(path.join(own, 'initdb'))) throw failure(`STACK_POSTGRES_BIN=${own} holds no initdb`);
  return own;
}

/** Excludes the caller's PG* variables. */
function environment(folder) {
  return { PATH: process.env['PATH'], HOME: folder, LC_ALL: 'C' };
}

const dataOf = (folder) => path.join(folder, 'data');
