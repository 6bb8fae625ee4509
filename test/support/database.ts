import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** A database on the test server that nobody else uses, with both extensions. */
export interface FreshDatabase {
  /** For the login under which the program runs: no superuser. */
  readonly url: string;
  drop(): Promise<void>;
}

/** Makes a database, with the rights of the superuser, on the server of STRATALOG_TEST_POSTGRES_ADMIN_URL. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const adminUrl = new URL(
    process.env['STRATALOG_TEST_POSTGRES_ADMIN_URL'] ?? 'postgres://postgres@127.0.0.1:54329/postgres',
  );
  const ownUrl = new URL(
    process.env['STRATALOG_POSTGRES_URL'] ?? 'postgres://stratalog:stratalog@127.0.0.1:54329/stratalog',
  );
  const name = `test_${randomBytes(6).toString('hex')}`;
  const inDatabase = (url: URL) => Object.assign(new URL(url), { pathname: `/${name}` }).href;
  await run(adminUrl.href, `create database ${name} owner ${ownUrl.username}`);
  await run(inDatabase(adminUrl), 'create extension vector', 'create extension pg_textsearch');
  return {
    url: inDatabase(ownUrl),
    drop: () => run(adminUrl.href, `drop database ${name} with (force)`),
  };
}

async function run(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
