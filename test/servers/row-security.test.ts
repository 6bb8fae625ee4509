import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type pg from 'pg';
import { clientOf, clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { ApiProcesses } from '../support/api-processes.ts';
import { caughtUp } from '../support/log-reader.ts';
import { postgresPrograms, PrivatePostgres } from '../support/private-postgres.ts';

const programs = postgresPrograms();
/** Tables about the read models themselves, which contain no data of tenants. */
const withoutTenant = ['active', 'checkpoints', 'generation_numbers', 'generations', 'parked'];

describe.runIf(programs)('the query role on the read models', () => {
  let postgres: PrivatePostgres;
  let processes: ApiProcesses;
  const tenants = [freshTenant(), freshTenant()] as const;
  let tables: string[];

  beforeAll(async () => {
    postgres = await PrivatePostgres.start(programs!);
    processes = await ApiProcesses.start(postgres, 1);
    const [server] = processes.servers;
    for (const tenant of tenants)
      await fillEveryTable(await clientWithKey(server!, { tenant, role: 'admin', user: 'ada' }));
    await caughtUp(server!);
    // Only an endpoint refuses texts.
    await asLogin((client) =>
      client.query(
        `insert into read.refused_texts
           (model, tenant, memory_id, stream, text_hash, revision, position, type, error, endpoint, due_at)
         select 'm', tenant, gen_random_uuid(), 's', 'h', 0, 1, 'MemoryStored', '', '', now() from unnest($1::text[]) tenant`,
        [tenants],
      ),
    );
    // Only another model than that of the read model has these.
    await asLogin((client) =>
      client.query(
        `insert into read.space_vectors (tenant, memory_id, model, text_hash, embedding)
         select tenant, gen_random_uuid(), 'm', 'h', '[1]' from unnest($1::text[]) tenant`,
        [tenants],
      ),
    );
    tables = await asLogin(async (client) => {
      const { rows } = await client.query(
        `select tablename from pg_tables where schemaname = 'read' order by 1`,
      );
      return rows.map(({ tablename }) => tablename as string).filter((name) => !withoutTenant.includes(name));
    });
  }, 300_000);

  afterAll(async () => {
    try {
      await processes.remove();
    } finally {
      await postgres.remove();
    }
  });

  async function fillEveryTable(client: Client): Promise<void> {
    const { memory } = await client.store({
      content: 'the login endpoint of the billing service',
      externalId: 'a',
    });
    const { memory: other, position } = await client.store({ content: 'retries of the billing service' });
    await client.put(`/v1/memories/${memory.id}/links/supports/${other.id}`);
    await client.post(`/v1/memories/${memory.id}/feedback`, { kind: 'outdated' });
    const found = await client.post('/v1/search', {
      query: 'billing service',
      threshold: 0,
      minPosition: position,
      waitMs: 20_000,
    });
    expect(found.body.results).toHaveLength(2);
    const outcome = { used: [memory.id] };
    expect((await client.post(`/v1/searches/${found.body.searchId}/outcome`, outcome)).status).toBe(200);
    // An outcome that is posted before its search is recorded, and the end of a session.
    const early = await client.post('/v1/search', { query: 'pauses of retries', sessionId: 'one' });
    expect((await client.post(`/v1/searches/${early.body.searchId}/outcome`, { used: [] })).status).toBe(200);
    expect((await client.post('/v1/sessions/one/end', {})).status).toBe(200);
    // A search whose outcome is not known yet.
    await client.post('/v1/search', { query: 'pauses of retries', sessionId: 'two' });
    const retold = 'the billing service runs in Vienna';
    await client.store({ content: retold });
    expect((await client.post('/v1/memories', { content: retold })).status).toBe(200);
    const { memory: gone } = await client.store({ content: 'a note that is erased' });
    expect((await client.delete(`/v1/memories/${gone.id}?mode=erase`)).status).toBe(200);
    // It already had a vector, which is moved to the table of superseded vectors.
    const content = 'retries of the billing service, and their pauses';
    const changed = await client.patch(`/v1/memories/${other.id}`, { content }, { 'if-match': '*' });
    expect(changed.status).toBe(200);
    // Its passages have vectors of their own.
    const long = await client.store({
      content: 'The pump of the harbour was serviced in May.\n\n'.repeat(40),
    });
    const seen = { query: 'pump', minPosition: long.position, waitMs: 20_000 };
    expect((await client.post('/v1/search', seen)).status).toBe(200);
    expect((await client.post('/v1/summaries/refresh', { layer: 'user' })).status).toBe(202);
    while ((await client.get('/v1/summaries')).body.items.length === 0) await sleep(50);
    const attempt = { query: 'pump', approach: 'search', outcome: 'success', memoriesUsed: [memory.id] };
    expect((await client.post('/v1/reasoning/traces', attempt)).status).toBe(201);
    expect((await client.post('/v1/reasoning/traces', attempt)).status).toBe(201);
    expect((await client.post('/v1/reasoning/search', { query: 'pump' })).status).toBe(200);
    while ((await client.get('/v1/reasoning/strategies')).body.items.length === 0) await sleep(50);
    expect((await client.post('/v1/admin/policies/train', { bootstrap: true })).status).toBe(200);
    const isValued = async () =>
      (await client.post('/v1/search', { query: 'billing service', threshold: 0 })).body.results.some(
        (result: Json) => result.memory.importance !== 0.5,
      );
    while (!(await isValued())) await sleep(50);
    const collecting = { dedupStrategy: 'semantic', semanticSimilarityThreshold: 0.5 };
    expect((await client.put('/v1/spaces/notes', collecting)).status).toBe(201);
    for (const same of ['The key of the shed hangs by the door', 'The shed key hangs by the door'])
      await client.store({ content: same, spaces: ['notes'] });
    while ((await client.get('/v1/duplicates')).body.items.length === 0) await sleep(50);
    const document = await client.post('/v1/documents?waitMs=20000', { text: '# Shed\n\nIt has a key.' });
    expect(document.body).toMatchObject({ document: { state: 'ready' } });
    // The access by the search is recorded after its answer.
    while ((await client.get(`/v1/memories/${memory.id}`)).body.accessCount === 0) await sleep(50);
  }

  function asLogin<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    return postgres.session('stratalog', work, new URL(processes.databaseUrl).pathname.slice(1));
  }

  /** The number of rows of each tenant that the query role sees. */
  async function seen(client: pg.Client, table: string, tenant?: string): Promise<Record<string, number>> {
    await client.query('begin');
    await client.query('set local role stratalog_query');
    if (tenant !== undefined) await client.query(`select set_config('app.tenant', $1, true)`, [tenant]);
    const { rows } = await client.query(`select tenant, count(*)::int as rows from read.${table} group by 1`);
    await client.query('rollback');
    return Object.fromEntries(rows.map((row) => [row.tenant, row.rows]));
  }

  it('[I3] as the owner finds rows of both tenants in every table', async () => {
    expect(tables.length).toBeGreaterThanOrEqual(9);
    await asLogin(async (client) => {
      for (const table of tables) {
        const { rows } = await client.query(`select tenant, count(*) from read.${table} group by 1`);
        const found = rows.map(({ tenant }) => tenant);
        expect(found, table).toEqual(expect.arrayContaining([...tenants]));
      }
    });
  });

  it('[I3] sees no row of any table if no tenant is set', async () => {
    await asLogin(async (client) => {
      for (const table of tables) {
        expect(await seen(client, table), table).toEqual({});
        expect(await seen(client, table, ''), table).toEqual({});
      }
    });
  });

  it('[I3] sees all rows of its own tenant in every table, and no others', async () => {
    await asLogin(async (client) => {
      for (const table of tables) {
        for (const tenant of tenants) {
          const { rows } = await client.query(
            `select count(*)::int as rows from read.${table} where tenant = $1`,
            [tenant],
          );
          expect(await seen(client, table, tenant), table).toEqual({ [tenant]: rows[0].rows });
        }
      }
    });
  });

  it('[I3] is subject to row-level security on every table, and cannot write', async () => {
    await asLogin(async (client) => {
      const { rows } = await client.query(
        `select relname from pg_class where relnamespace = 'read'::regnamespace and relkind = 'r'
         and relname <> all ($1) and not (relrowsecurity and relforcerowsecurity)`,
        [withoutTenant],
      );
      expect(rows).toEqual([]);
      for (const table of tables) {
        await client.query(
          `begin; set local role stratalog_query; select set_config('app.tenant', '${tenants[0]}', true)`,
        );
        await expect(client.query(`delete from read.${table}`), table).rejects.toMatchObject({
          code: '42501',
        });
        await client.query('rollback');
      }
    });
  });

  it.each([
    'log.events',
    'log.head',
    'control.data_keys',
    'control.subject_keys',
    'control.vault',
    'control.lease_terms',
    'follow.parked',
  ])('[I3] may not read %s at all', async (table) => {
    await asLogin(async (client) => {
      await expect(client.query(`select 1 from ${table}`)).resolves.toBeDefined();
      await client.query('begin; set local role stratalog_query');
      await expect(client.query(`select 1 from ${table}`)).rejects.toMatchObject({ code: '42501' });
      await client.query('rollback');
    });
  });

  it('[I3] is used for all answers: a tenant finds nothing of the other by any name', async () => {
    const [server] = processes.servers;
    const stranger = await clientWithKey(server!, { tenant: tenants[1], role: 'admin', user: 'eve' });
    const own = await clientOf(server!, stranger.key).get('/v1/memories');
    const { items } = own.body;
    expect(items).toHaveLength(7);
    const ids = await asLogin(async (client) => {
      const { rows } = await client.query(
        `select distinct memory_id::text as id from read.memories_g1 where tenant = $1`,
        [tenants[0]],
      );
      return rows.map(({ id }) => id as string);
    });
    expect(ids).toHaveLength(7);
    for (const id of ids) expect((await stranger.get(`/v1/memories/${id}`)).status).toBe(404);
  });
});
