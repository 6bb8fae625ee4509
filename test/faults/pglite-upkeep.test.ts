import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openPglite } from '../../src/adapters/pglite/open.ts';
import { startServer } from '../support/server.ts';

const restMs = 8_000;
const probeMs = 500;

it('vacuums rows that were written before a start, while the program polls, renews leases and answers readiness checks', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'upkeep-'));
  const before = await openPglite({ dataDir });
  await before.execute(`create table t (a int, b text);
    insert into t select n, repeat('x', 100) from generate_series(1, 20000) n;
    create table v (a vector(3), b text);
    insert into v select array[n, 1, 1], repeat('x', 1000) from generate_series(1, 1000) n;
    create index on v using hnsw (a vector_l2_ops)`);
  await before.close();

  const server = await startServer({
    dataDir,
    environment: { STRATALOG_PROFILE: 'embedded', STRATALOG_EMBEDDER: 'deterministic' },
  });
  for (const end = performance.now() + restMs; performance.now() < end; await sleep(probeMs)) {
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect((await fetch(`${server.url}/metrics`)).status).toBe(200);
  }
  await server.stop();

  const after = await openPglite({ dataDir });
  const rows = await after.query(
    `select relname as name, relallvisible > 0 as visible, reltuples as rows from pg_class where relname in ('t', 'v')
     order by relname`,
  );
  expect(rows).toEqual([
    { name: 't', visible: true, rows: 20_000 },
    { name: 'v', visible: true, rows: 1_000 },
  ]);
  await after.close();
  await rm(dataDir, { recursive: true });
});

it('vacuums a table once, although its vector index keeps dead rows', async () => {
  const sql = await openPglite();
  await sql.execute(`create table v (a vector(3), b int);
    create index on v using hnsw (a vector_l2_ops);
    insert into v select array[n, 1, 1], n from generate_series(1, 1000) n;
    update v set a = array[b, 2, 2] where b <= 600`);
  // Small tables are checked every second of a pause.
  await sleep(restMs);
  const [row] = await sql.query(
    `select vacuum_count as vacuums, n_dead_tup as dead from pg_stat_all_tables where relname = 'v'`,
  );
  expect(row).toEqual({ vacuums: 1, dead: 600 });
  await sql.close();
});
