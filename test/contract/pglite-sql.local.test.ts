import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';
import { openPglite } from '../../src/adapters/pglite/open.ts';
import { sqlContract } from './sql.ts';

const folders: string[] = [];

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

sqlContract('PGlite on disk', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'stratalog-sql-'));
  folders.push(dataDir);
  return openPglite({ dataDir });
});
