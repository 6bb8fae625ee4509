import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { newAdmin } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const run = promisify(execFile);
const folder = mkdtempSync(path.join(tmpdir(), 'stratalog-analytics-'));
cpSync('examples/analytics', folder, {
  recursive: true,
  filter: (name) => !name.includes('node_modules'),
});
const install = ['install', '--no-audit', '--no-fund', '--no-package-lock'];
const isInstalled = spawnSync('npm', install, { cwd: folder, timeout: 60_000 }).status === 0;

describe.skipIf(!isInstalled)('examples/analytics (DuckDB is needed from the npm registry)', () => {
  const server = useSharedServer('deterministic');

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('[G6] answers three questions from the audit stream, and counts nothing twice', async () => {
    const admin = await newAdmin(server);
    const { memory, position } = await admin.store({ content: 'The bakery on the corner opens at six.' });
    const request = { query: 'When does the bakery open?', minPosition: position, waitMs: 30_000 };
    const search = async () => (await admin.post('/v1/search', request)).body.searchId as string;
    const analyse = async () => {
      const environment = { ...process.env, STRATALOG_KAFKA_BROKERS: '', STRATALOG_API_KEY: admin.key };
      const call = ['analytics.mjs', '--url', server.url];
      return (await run(process.execPath, call, { cwd: folder, env: environment })).stdout;
    };
    await admin.post(`/v1/searches/${await search()}/outcome`, { used: [memory.id] });
    const count = async (type: string) =>
      (await admin.get(`/v1/audit/events?type=${type}`)).body.items.length as number;
    await vi.waitUntil(async () => (await count('UseObserved')) === 1, { timeout: 30_000, interval: 200 });
    const first = await analyse();
    expect(first).toMatch(/1 searches, answered 100 %, used 100 %/);
    expect(first).toMatch(new RegExp(`${memory.id}  user .*shown 1, used 1`));

    await search();
    await vi.waitUntil(async () => (await count('SearchPerformed')) === 2, {
      timeout: 30_000,
      interval: 200,
    });
    for (const _ of [1, 2]) {
      const again = await analyse();
      expect(again).toMatch(/2 searches, answered 100 %, used {2}50 %/);
      expect(again).toContain('shown 2, used 1');
    }
  });
});
