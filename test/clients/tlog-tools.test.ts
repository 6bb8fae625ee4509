import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openPglite } from '../../src/adapters/pglite/open.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { newTenant } from '../support/tenant.ts';

const run = promisify(execFile);
const folderOfVerifier = path.resolve('test/clients/tlog');
/** Also false if the one module that it needs cannot be downloaded. */
const hasGo = spawnSync('go', ['mod', 'download'], { cwd: folderOfVerifier, timeout: 60_000 }).status === 0;
const fsckVersion = 'github.com/transparency-dev/tessera/cmd/fsck@v1.0.4';
/** Tessera takes a minute to build. */
const withTessera = process.env['STRATALOG_TLOG_TESSERA'] !== undefined;

/** Tools of others, which know nothing of this program, verify the log that it publishes. */
describe.skipIf(!hasGo)('tools of others (Go is needed to build them)', () => {
  const environment = {
    STRATALOG_EMBEDDER: 'deterministic',
    STRATALOG_TLOG: 'public',
    STRATALOG_CHECKPOINT_INTERVAL: '1',
  };
  let folder: string;
  let server: TestServer;
  let key: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'stratalog-tlog-'));
    server = await startServer({ environment });
    const { admin } = await newTenant(server);
    const lines = await admin.bulk(
      Array.from({ length: 300 }, (_, n) => ({ content: `Line ${n} of the log` })),
    );
    expect(lines).toHaveLength(300);
    await vi.waitUntil(
      async () => {
        const { items, verifierKey } = (await admin.get('/v1/audit/heads')).body;
        key = verifierKey;
        return items[0]?.size > 600;
      },
      { timeout: 60_000, interval: 200 },
    );
  });

  afterAll(async () => {
    await server.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const verifier = () => run('go', ['run', '.', `${server.url}/tlog/`, key], { cwd: folderOfVerifier });

  it.runIf(withTessera)('[F7] Tessera’s fsck accepts the log', async () => {
    const bin = path.join(folder, 'bin');
    await run('go', ['install', fsckVersion], { env: { ...process.env, GOBIN: bin } });
    const file = path.join(folder, 'key');
    await writeFile(file, key);
    const { stderr } = await run(path.join(bin, 'fsck'), [
      `--storage_url=${server.url}/tlog/`,
      `--public_key=${file}`,
      '--ui=false',
    ]);
    expect(stderr).toContain('Successfully');
  });

  it('[F7] those of the Go checksum database accept the log, and refuse one that was changed', async () => {
    expect((await verifier()).stdout).toMatch(/^verified \d+ leaves of stratalog\//);
    await server.stop();
    const sql = await openPglite({ dataDir: server.dataDir });
    await sql.query("update log.events set metadata = metadata || ' ' where position = 400");
    await sql.close();
    const again = await startServer({ environment, dataDir: server.dataDir });
    server = again;
    await expect(verifier()).rejects.toMatchObject({
      stderr: expect.stringContaining('leaf 399 is not that of the tree'),
    });
  });
});
