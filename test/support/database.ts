import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { sqlState } from '../../src/ports/sql.ts';

/** A new database on the test server, with both extensions. */
export interface FreshDatabase {
  /** URL with the login of the program, which is not a superuser. */
  readonly url: string;
  drop(): Promise<void>;
}

/** Creates a database from the template of `npm run stack -- up postgres`, on the server of STRATALOG_POSTGRES_URL. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const ownUrl =
    process.env['STRATALOG_POSTGRES_URL'] ?? 'postgres://stratalog:stratalog@127.0.0.1:54329/stratalog';
  const name = `test_${randomBytes(6).toString('hex')}`;
  await run(ownUrl, `create database ${name} template stratalog_template`);
  return {
    url: Object.assign(new URL(ownUrl), { pathname: `/${name}` }).href,
    drop: () => dropDatabase(ownUrl, name),
  };
}

const insufficientPrivilege = '42501';
const autovacuumWaitMs = 30_000;

/** Retries, because the login may not cancel an autovacuum in progress. */
async function dropDatabase(url: string, name: string): Promise<void> {
  const deadline = performance.now() + autovacuumWaitMs;
  for (;;) {
    try {
      return await run(url, `drop database if exists ${name} with (force)`);
    } catch (error) {
      if (sqlState(error) !== insufficientPrivilege || performance.now() >= deadline) throw error;
      await sleep(100);
    }
  }
}

async function run(url: string, ...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
