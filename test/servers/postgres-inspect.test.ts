import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresNotPrepared } from '../../src/adapters/postgres/errors.ts';
import { inspectPostgres } from '../../src/adapters/postgres/inspect.ts';
import { openPostgres } from '../../src/adapters/postgres/postgres.ts';
import { PrivatePostgres, postgresPrograms } from '../support/private-postgres.ts';

const programs = postgresPrograms();
const answerMs = 3_000;
const both = ['vector', 'pg_textsearch'];

describe.runIf(programs)('[J7] what a PostgreSQL server lacks', () => {
  let server: PrivatePostgres;

  beforeAll(async () => {
    server = await PrivatePostgres.start(programs!);
    await server.query('create role stranger login');
    await server.query('create database bare owner stratalog');
    await server.query('create database guarded owner postgres');
  }, 300_000);

  afterAll(() => server?.remove());

  const extensionsOf = (database: string): Promise<string[]> =>
    server.session(
      'postgres',
      async (client) => {
        const { rows } = await client.query<{ extname: string }>('select extname from pg_extension');
        return rows.map(({ extname }) => extname);
      },
      database,
    );

  it('is nothing if everything is prepared', async () => {
    expect(await inspectPostgres(server.url(), both, answerMs)).toEqual({
      version: expect.stringMatching(/^PostgreSQL 18\.\d+$/),
      missing: [],
      notes: [],
    });
  });

  it('is reported with the statements for a superuser, without what this login can create by itself', async () => {
    const trusted = await inspectPostgres(server.url('stratalog', 'bare'), ['vector', 'pg_trgm'], answerMs);
    expect(trusted.notes).toEqual(['the extension pg_trgm will be created at the first start']);
    expect(trusted.missing).toEqual([
      expect.stringContaining('as a superuser, in this database: create extension vector;'),
    ]);
    const guarded = await inspectPostgres(server.url('stranger', 'guarded'), both, answerMs);
    expect(guarded.missing).toEqual([
      expect.stringContaining('create role stratalog_query nologin; grant stratalog_query to "stranger";'),
      expect.stringContaining('create extension vector;'),
      expect.stringContaining('create extension pg_textsearch;'),
    ]);
  });

  it('is not created by the inspection', async () => {
    const { notes } = await inspectPostgres(server.url('postgres', 'bare'), ['vector'], answerMs);
    expect(notes).toContain('the extension vector will be created at the first start');
    expect(await extensionsOf('bare')).not.toContain('vector');
  });

  it('includes an extension that is not installed, and a login that bypasses row-level security', async () => {
    const { missing, notes } = await inspectPostgres(server.url('postgres'), ['no_such_thing'], answerMs);
    expect(missing).toEqual(['the extension no_such_thing: it is not installed on the server']);
    expect(notes.join()).toContain('row-level security does not apply to the login postgres');
  });

  it('[G1] does not include pg_textsearch in the cluster profile, which starts without it', async () => {
    const url = server.url('stratalog', 'bare');
    await server.session('postgres', (client) => client.query('create extension vector'), 'bare');
    await expect(openPostgres({ url })).rejects.toBeInstanceOf(PostgresNotPrepared);
    const sql = await openPostgres({ url, extensions: ['vector'] });
    await sql.close();
    expect(await extensionsOf('bare')).not.toContain('pg_textsearch');
  });
});
