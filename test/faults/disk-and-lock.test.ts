import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientOf, type Client } from '../support/api.ts';
import { serveOnce } from '../support/serve-once.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { whyNoSmallDisk } from '../support/small-disk.ts';

const deterministic = { STRATALOG_PROFILE: 'embedded', STRATALOG_EMBEDDER: 'deterministic' };

describe('a start that cannot succeed', () => {
  let home: string;
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'stratalog-start-'));
    server = await startServer({
      masterKey: null,
      dataDir: path.join(home, 'held'),
      environment: deterministic,
    });
    client = clientOf(server);
  });

  afterAll(async () => {
    await server.remove();
    await rm(home, { recursive: true, force: true });
  });

  /** A data folder with one memory, which no server uses. */
  async function usedFolder(name: string): Promise<{ dataDir: string; memoryId: string }> {
    const dataDir = path.join(home, name);
    const first = await startServer({ masterKey: null, dataDir, environment: deterministic });
    const { memory } = await clientOf(first).store({ content: 'kept over the refused starts' });
    expect(await first.stop()).toBe(0);
    return { dataDir, memoryId: memory.id };
  }

  async function expectKept({ dataDir, memoryId }: { dataDir: string; memoryId: string }): Promise<void> {
    const again = await startServer({ masterKey: null, dataDir, environment: deterministic });
    const { status, body } = await clientOf(again).get(`/v1/memories/${memoryId}`);
    expect([status, body.content]).toEqual([200, 'kept over the refused starts']);
    await again.stop();
  }

  it('[J8] is refused on a data folder that another server uses, and that server continues', async () => {
    const { memory } = await client.store({ content: 'before the second start' });
    // With the bundled model, because its threads are still starting when the folder is refused.
    const { code, output } = await serveOnce({ STRATALOG_DATA: server.dataDir });
    expect(code).toBe(1);
    expect(output).toContain(server.dataDir);
    expect(output).toContain(`in use by process ${server.process.pid}`);
    expect(output).not.toMatch(/^\s+at /m);
    expect((await client.get(`/v1/memories/${memory.id}`)).status).toBe(200);
    await client.store({ content: 'after the second start' });
  });

  it('[J8] is refused on a port in use, and releases the data folder', async () => {
    const holder = net.createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const dataDir = path.join(home, 'port');
    const environment = { ...deterministic, STRATALOG_DATA: dataDir };
    const { code, output } = await serveOnce({ ...environment, STRATALOG_PORT: String(port) });
    holder.close();
    expect(code).toBe(1);
    expect(output).toMatch(new RegExp(`Port ${port} is in use.*--port`));
    expect(output).not.toMatch(/^\s+at /m);
    const free = await startServer({ masterKey: null, dataDir, environment });
    expect(await free.stop()).toBe(0);
  });

  it.skipIf(whyNoSmallDisk() !== undefined).each([
    ['without a data folder', 'true'],
    ['with a data folder', 'mkdir data'],
    ['with a data folder that has a lock', 'mkdir -p data/lock data/pg'],
  ])('[J8] is refused on a read-only file system, %s, and doctor fails alike', async (_, before) => {
    const mountPoint = await mkdtemp(path.join(home, 'read-only-'));
    const mount = `mount -t tmpfs tmpfs '${mountPoint}' && cd '${mountPoint}' && ${before} && cd / && mount -o remount,ro '${mountPoint}' && exec "$@"`;
    const prefix = ['unshare', '--mount', 'sh', '-c', mount, 'sh'];
    const dataDir = path.join(mountPoint, 'data');
    const words = `${dataDir} cannot be written, its file system is read-only: mount it for writing, or choose another folder with --data`;
    const environment = { ...deterministic, STRATALOG_DATA: dataDir };
    for (const command of ['serve', 'doctor']) {
      const { code, output } = await serveOnce(environment, { prefix, command });
      expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(words) });
      expect(output).not.toMatch(/^\s+at /m);
    }
  });

  it.runIf(process.platform === 'linux')('[J8] is refused if no folder can be created', async () => {
    const { code, output } = await serveOnce({ ...deterministic, STRATALOG_DATA: '/proc/stratalog/data' });
    expect(code).toBe(1);
    expect(output).toContain('/proc/stratalog');
    expect(output).not.toMatch(/^\s+at /m);
  });

  it.skipIf(process.platform === 'win32')(
    '[I3] creates a data folder that only its owner can access',
    async () => {
      const { dataDir } = await usedFolder('own/folder');
      const modeOf = async (...parts: string[]) => (await stat(path.join(dataDir, ...parts))).mode & 0o777;
      expect([await modeOf(), await modeOf('pg'), await modeOf('lock'), await modeOf('vault.key')]).toEqual([
        0o700, 0o700, 0o700, 0o600,
      ]);
    },
  );

  it('[J8] is refused on data of a newer version, and changes nothing in it', async () => {
    const folder = await usedFolder('newer');
    const file = path.join(folder.dataDir, 'VERSION');
    const version = await readFile(file, 'utf8');
    await writeFile(file, '999\n');
    const { code, output } = await serveOnce({ ...deterministic, STRATALOG_DATA: folder.dataDir });
    expect(code).toBe(1);
    expect(output).toMatch(/format 999 .*update the program/);
    expect(output).not.toMatch(/^\s+at /m);
    expect(await readFile(file, 'utf8')).toBe('999\n');
    await writeFile(file, version);
    await expectKept(folder);
  });

  describe('because of its vault key', () => {
    let folder: { dataDir: string; memoryId: string };
    let file: string;
    let key: Buffer;

    beforeAll(async () => {
      folder = await usedFolder('vault');
      file = path.join(folder.dataDir, 'vault.key');
      key = await readFile(file);
    });

    async function refusal(): Promise<string> {
      const { code, output } = await serveOnce({ ...deterministic, STRATALOG_DATA: folder.dataDir });
      expect(code).toBe(1);
      expect(output).not.toMatch(/^\s+at /m);
      expect(output).not.toContain('"ready');
      return output;
    }

    it('[J8] is refused if vault.key is missing, and creates no new one', async () => {
      await rm(file);
      const output = await refusal();
      expect(output).toContain(file);
      expect(output).toMatch(/missing/);
      await expect(readFile(file)).rejects.toMatchObject({ code: 'ENOENT' });
    });

    it('[J8] is refused with the vault.key of another folder, and does not change it', async () => {
      const other = await readFile(path.join(server.dataDir, 'vault.key'));
      await writeFile(file, other);
      expect(await refusal()).toMatch(/another root key/);
      expect(await readFile(file)).toEqual(other);
    });

    it.each([
      ['empty', ''],
      ['too short', randomBytes(12).toString('base64')],
      ['not base64', '*** not a key ***'],
    ])('[J8] is refused with a vault.key that is %s, and does not show it', async (_, text) => {
      await writeFile(file, text);
      const output = await refusal();
      expect(output).toContain(file);
      expect(output).toMatch(/32 bytes in base64/);
      if (text !== '') expect(output).not.toContain(text);
    });

    it('[J8] succeeds with its own vault.key again, and has all data', async () => {
      await writeFile(file, key);
      await expectKept(folder);
    });
  });

  describe('because of its embedding model', () => {
    let copy: string;
    let model: string;

    beforeAll(async () => {
      copy = await checkoutWithOwnModels(home);
      model = path.join(copy, 'models', 'multilingual-e5-small');
    });

    async function refusal(): Promise<string> {
      const environment = { STRATALOG_PROFILE: 'embedded', STRATALOG_DATA: path.join(home, 'model') };
      const program = path.join(copy, 'bin', 'stratalog.mjs');
      const { code, output } = await serveOnce(environment, { program });
      expect(code).toBe(1);
      expect(output).not.toMatch(/^\s+at /m);
      expect(output).toMatch(/git checkout -- models\/multilingual-e5-small.*STRATALOG_EMBEDDER/);
      return output;
    }

    it('[J8] is refused if one of its files is damaged', async () => {
      const file = path.join(model, 'tokenizer.json');
      await writeFile(file, `${await readFile(file, 'utf8')}\n`);
      expect(await refusal()).toMatch(/tokenizer\.json is damaged/);
    });

    it('[J8] is refused if it is missing', async () => {
      await rm(model, { recursive: true });
      expect(await refusal()).toMatch(/multilingual-e5-small cannot be read/);
    });
  });
});

/** A checkout that shares everything with this one except the models. */
async function checkoutWithOwnModels(home: string): Promise<string> {
  const copy = path.join(home, 'checkout');
  const own = path.resolve('.');
  await mkdir(copy);
  for (const name of ['bin', 'models'])
    await cp(path.join(own, name), path.join(copy, name), { recursive: true });
  for (const name of ['src', 'packages', 'node_modules', 'package.json'])
    await symlink(path.join(own, name), path.join(copy, name));
  return copy;
}
