import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

/** A database on the test server that nobody else uses, with both extensions. */
export interface FreshDatabase {
  /** For the login under which the program runs: no superuser. */
  readonly url: string;
  drop(): Promise<void>;
}

/** Makes a database from the template of `npm run stack -- up postgres`, on the server of STRATALOG_POSTGRES_URL. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const ownUrl =
    process.env['STRATALOG_POSTGRES_URL'] ?? 'postgres://stratalog:stratalog@127.0.0.1:54329/stratalog';
  const name = `test_${randomBytes(6).toString('hex')}`;
  await run(ownUrl, `create database ${name} template stratalog_template`);
  return {
    url: Object.assign(new URL(ownUrl), { pathname: `/${name}` }).href,
    drop: () => run(ownUrl, `drop database ${name} with (force)`),
  };
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
