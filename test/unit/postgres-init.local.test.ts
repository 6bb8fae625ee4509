import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspectPostgres } from '../../src/adapters/postgres/inspect.ts';
import { PrivatePostgres, postgresPrograms } from '../support/private-postgres.ts';

const programs = postgresPrograms();

describe.runIf(programs)('[G7] stack/postgres-init.sql', () => {
  let server: PrivatePostgres;

  beforeAll(async () => {
    server = await PrivatePostgres.start(programs!);
  }, 60_000);

  afterAll(() => server?.remove());

  it('creates a complete database', async () => {
    // As in a new container: only the superuser and an empty database.
    const asSuperuser = (...statements: string[]) =>
      server.session(
        'postgres',
        async (client) => {
          for (const statement of statements) await client.query(statement);
        },
        'postgres',
      );
    await asSuperuser(
      'drop database stratalog',
      'drop role stratalog',
      'drop role stratalog_query',
      'create database stratalog',
    );
    const script = readFileSync('stack/postgres-init.sql', 'utf8');
    await server.session('postgres', (client) => client.query(script), 'stratalog');
    const { missing, notes } = await inspectPostgres(server.url(), ['vector'], 3_000);
    expect({ missing, notes }).toEqual({ missing: [], notes: [] });
  });
});
