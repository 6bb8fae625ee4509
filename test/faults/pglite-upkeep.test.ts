import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openPglite } from '../../src/adapters/pglite/open.ts';
import { startServer } from '../support/server.ts';

const restMs = 8_000;
const probeMs = 500;

it('vacuums what was written before a start, while the program polls, renews its leases and is asked whether it is ready', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'upkeep-'));
  const before = await openPglite({ dataDir });
  await before.execute(`create table t (a int, b text);
    insert into t select n, repeat('x', 100) from generate_series(1, 20000) n`);
  await before.close();

  const server = await startServer({ dataDir, environment: { STRATALOG_PROFILE: 'embedded' } });
  for (const end = performance.now() + restMs; performance.now() < end; await sleep(probeMs)) {
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect((await fetch(`${server.url}/metrics`)).status).toBe(200);
  }
  await server.stop();

  const after = await openPglite({ dataDir });
  const [row] = await after.query(
    `select relallvisible > 0 as visible, reltuples as rows from pg_class where relname = 't'`,
  );
  expect(row).toEqual({ visible: true, rows: 20_000 });
  await after.close();
  await rm(dataDir, { recursive: true });
});
