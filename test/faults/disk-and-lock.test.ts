import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveOnce } from '../support/serve-once.ts';
import { whyNoSmallDisk } from '../support/small-disk.ts';

// Refusals that doctor reports too are in `test/conformance/cli-start.test.ts`.
const deterministic = { STRATALOG_PROFILE: 'embedded', STRATALOG_EMBEDDER: 'deterministic' };

describe('a start that cannot succeed', () => {
  let home: string;

  beforeAll(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'stratalog-start-'));
  });

  afterAll(() => rm(home, { recursive: true, force: true }));

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

  // What else is no key is in `test/unit/root-key.test.ts`.
  it('[J8] is refused with a vault.key that is not one, and does not show it', async () => {
    const text = '*** not a key ***';
    const dataDir = path.join(home, 'key');
    const file = path.join(dataDir, 'vault.key');
    await mkdir(dataDir);
    await writeFile(file, text);
    const { code, output } = await serveOnce({ ...deterministic, STRATALOG_DATA: dataDir });
    expect(code).toBe(1);
    expect(output).not.toMatch(/^\s+at /m);
    expect(output).toContain(file);
    expect(output).toMatch(/32 bytes in base64/);
    expect(output).not.toContain(text);
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
