import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientOf } from '../support/api.ts';
import { expectClear, stratalog } from '../support/cli.ts';
import { auditEvents } from '../support/events.ts';
import { startServer, testProfile, type TestServer } from '../support/server.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'stratalog-start-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** These servers always use the embedded profile, so run them once, not once per profile. */
const describeOnce = describe.skipIf(testProfile !== 'embedded');
const embedded = { STRATALOG_PROFILE: 'embedded', STRATALOG_EMBEDDER: 'deterministic', STRATALOG_PORT: '0' };

// Each setting and option is tested in `test/unit/server-settings.test.ts`.
describeOnce('invalid settings', () => {
  it('[J8] stop the start before anything is made, and all are reported at once', async () => {
    const data = path.join(folder, 'never-made');
    const wrong = { STRATALOG_PORT: 'x', STRATALOG_LOG_LEVEL: 'y' };
    const result = await stratalog(['serve', '--data', data], { ...embedded, ...wrong });
    expectClear(result, 1, /STRATALOG_PORT.*65535/, /STRATALOG_LOG_LEVEL.*debug/);
    expect(result.stdout).toBe('');
    expect(await readdir(folder)).not.toContain('never-made');
  });

  it('[J8] options are checked like their variables', async () => {
    expectClear(await stratalog(['serve', '--port=65536']), 2, '--port', /65535/);
  });
});

describeOnce('addresses that cannot be bound', () => {
  it('[J8] a port in use: names the port and what to do', async () => {
    const other = net.createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    try {
      const data = path.join(folder, 'port');
      const result = await stratalog(['serve', '--data', data, '--port', String(port)], embedded);
      expectClear(result, 1, `Port ${port}`, '--port');
      const doctor = await stratalog(['doctor', '--data', data, '--port', String(port)], embedded);
      expect(doctor.code).toBe(1);
      expect(doctor.stdout).toMatch(new RegExp(`FAIL port.*${port}`));
    } finally {
      other.close();
    }
    const free = await startServer({ environment: embedded, dataDir: path.join(folder, 'port') });
    expect(await free.stop()).toBe(0);
  });

  it('[J8] an address of another machine or an unknown host name: names the host and the option', async () => {
    const environment = { ...embedded, STRATALOG_MASTER_KEY: 'a-master-key-of-this-test' };
    const data = path.join(folder, 'address');
    for (const host of ['203.0.113.7', 'no-such-host.invalid']) {
      const result = await stratalog(['serve', '--data', data, '--host', host], environment);
      expectClear(result, 1, host, /--host|STRATALOG_HOST/);
    }
  });
});

describeOnce('a data folder with a database', () => {
  const content = 'kept over the refused starts';
  let server: TestServer;
  let data: string[];
  let memoryId: string;

  beforeAll(async () => {
    // Not a copy of another folder: the modes of its files are checked.
    server = await startServer({
      masterKey: null,
      environment: embedded,
      dataDir: path.join(folder, 'own', 'folder'),
    });
    data = ['--data', server.dataDir];
    memoryId = (await clientOf(server).store({ content })).memory.id;
  });

  afterAll(() => server.remove());

  it.skipIf(process.platform === 'win32')('[I3] can be accessed by its owner only', async () => {
    const modeOf = async (...parts: string[]) =>
      (await stat(path.join(server.dataDir, ...parts))).mode & 0o777;
    expect([await modeOf(), await modeOf('pg'), await modeOf('lock'), await modeOf('vault.key')]).toEqual([
      0o700, 0o700, 0o700, 0o600,
    ]);
  });

  it('[J8] in use by another server: names its process, and that server continues', async () => {
    // With the bundled model, because its threads are still starting when the folder is refused.
    const second = await stratalog(['serve', ...data], { ...embedded, STRATALOG_EMBEDDER: 'onnx' });
    expectClear(second, 1, server.dataDir, `in use by process ${server.process.pid}`);
    const doctor = await stratalog(['doctor', ...data], embedded);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/FAIL database.*in use/);
    expect((await clientOf(server).get(`/v1/memories/${memoryId}`)).status).toBe(200);
    await clientOf(server).store({ content: 'after the second start' });
  });

  it('[J8] written by a newer version: says so and leaves it unchanged', async () => {
    await server.stop();
    const file = path.join(server.dataDir, 'VERSION');
    const version = await readFile(file, 'utf8');
    await writeFile(file, '999\n');
    expectClear(
      await stratalog(['serve', ...data], embedded),
      1,
      server.dataDir,
      /format 999 .*update the program/,
    );
    expect(await readFile(file, 'utf8')).toBe('999\n');
    await writeFile(file, version);
  });

  it('[J4] [J8] is opened by doctor, which fails like serve when the vault key is missing or is not its own', async () => {
    await server.stop();
    const key = path.join(server.dataDir, 'vault.key');
    const expectBoth = async (words: RegExp) => {
      expectClear(await stratalog(['serve', ...data], embedded), 1, words);
      const { code, json } = await stratalog(['doctor', '--json', ...data], embedded);
      expect(code).toBe(1);
      const found = json.find(({ check }: { check: string }) => check === 'database');
      expect(found).toMatchObject({ ok: false, detail: expect.stringMatching(words) });
    };
    const own = await readFile(key);
    await rm(key);
    await expectBoth(/vault\.key is missing.*restore it/);
    await expect(readFile(key)).rejects.toMatchObject({ code: 'ENOENT' });
    const other = `${Buffer.alloc(32, 7).toString('base64')}\n`;
    await writeFile(key, other);
    await expectBoth(/created with another root key: restore the key of this data/);
    expect(await readFile(key, 'utf8')).toBe(other);
    await writeFile(key, own);
    const { code, stdout } = await stratalog(['doctor', ...data], embedded);
    expect(code).toBe(0);
    expect(stdout).toMatch(/ok +database +.*, 1[0-9]\./);
  });

  it('[J8] opens again after all refusals, with all data', async () => {
    const again = await startServer({ masterKey: null, environment: embedded, dataDir: server.dataDir });
    const { status, body } = await clientOf(again).get(`/v1/memories/${memoryId}`);
    expect([status, body.content]).toEqual([200, content]);
    await again.stop();
  });
});

describeOnce('a server that cannot be reached', () => {
  it('[J8] PostgreSQL: names the service and points to doctor', async () => {
    const environment = {
      ...embedded,
      STRATALOG_PROFILE: 'postgres',
      STRATALOG_POSTGRES_URL: 'postgres://u:secret@127.0.0.1:1/x',
    };
    const result = await stratalog(['serve', '--data', path.join(folder, 'pg')], environment);
    expectClear(result, 1, /database/i, /doctor/);
    expect(result.stderr).not.toContain('secret');
    const doctor = await stratalog(['doctor', '--json'], environment);
    expect(doctor.code).toBe(1);
    expect(doctor.json.find(({ check }: { check: string }) => check === 'database').ok).toBe(false);
  });
});

describeOnce('doctor', () => {
  it('[J4] changes nothing: accepts a missing data folder and does not create it', async () => {
    for (const made of [false, true]) {
      const data = path.join(folder, `looked-at-${made}`);
      if (made) await mkdir(data);
      const { code, json } = await stratalog(['doctor', '--json', '--data', data], embedded);
      expect(code).toBe(0);
      expect(json.find(({ check }: { check: string }) => check === 'database')).toMatchObject({
        ok: true,
        detail: expect.stringMatching(
          made ? /has no database yet.*first start/ : /does not exist yet.*first start/,
        ),
      });
      expect(await readdir(folder)).toEqual(
        made
          ? expect.arrayContaining([path.basename(data)])
          : expect.not.arrayContaining([path.basename(data)]),
      );
      if (made) expect(await readdir(data)).toEqual([]);
    }
  });

  it('[J8] reports a data folder that is a file or cannot be created, as serve does', async () => {
    const file = path.join(folder, 'a-file');
    await writeFile(file, 'x');
    expectClear(await stratalog(['serve', '--data', file], embedded), 1, 'a-file');
    for (const data of [file, path.join(file, 'below')]) {
      const { code, stdout } = await stratalog(['doctor', '--data', data], embedded);
      expect(code).toBe(1);
      expect(stdout).toMatch(/FAIL database.*is not a folder/);
    }
  });

  it('[J8] names the setting of a model that is unknown', async () => {
    const wrong = { STRATALOG_EMBEDDER: 'onnx', STRATALOG_EMBEDDING_MODEL: 'nope' };
    const { stdout } = await stratalog(['doctor'], { ...embedded, ...wrong });
    expect(stdout).toMatch(/FAIL model.*STRATALOG_EMBEDDING_MODEL/);
  });

  it('[J4] passes its checks of node, model, database and port on a healthy setup', async () => {
    const environment = { STRATALOG_DATA: path.join(folder, 'doctor'), STRATALOG_PORT: '0' };
    const text = await stratalog(['doctor'], environment);
    expect(text.code).toBe(0);
    expect(text.stdout).not.toContain('FAIL');
    const { code, json } = await stratalog(['doctor', '--json'], environment);
    expect(code).toBe(0);
    expect(json.map(({ check, ok }: { check: string; ok: boolean }) => [check, ok])).toEqual([
      ['node', true],
      ['model', true],
      ['database', true],
      ['port', true],
    ]);
  });
});

describe('a graceful shutdown', () => {
  it.each<[NodeJS.Signals, Record<string, string>]>([
    // With the bundled model, whose thread has to end too.
    ['SIGTERM', {}],
    ['SIGINT', { STRATALOG_EMBEDDER: 'deterministic' }],
  ])('[J7] on %s writes the pending accesses and exits with 0', async (signal, environment) => {
    const first: TestServer = await startServer({ environment });
    const master = clientOf(first, first.masterKey);
    const { key } = (await master.post('/v1/admin/keys', { tenant: 'acme', role: 'admin', user: 'ada' }))
      .body;
    const client = clientOf(first, key);
    const content = 'The accounts are closed on the last day of the month';
    const { memory, position } = await client.store({ content });
    const body = { query: content, minPosition: position, waitMs: 30_000 };
    const searched = await Promise.all(Array.from({ length: 20 }, () => client.post('/v1/search', body)));
    for (const { body } of searched) expect(body.results).toHaveLength(1);
    expect(await first.stop(signal)).toBe(0);

    const second = await startServer({ dataDir: first.dataDir, environment: first.environment });
    try {
      const reader = clientOf(second, key);
      await expect
        .poll(async () => (await reader.get(`/v1/memories/${memory.id}`)).body.accessCount, {
          timeout: 10_000,
        })
        .toBe(20);
      const recordedSearchIds = async () =>
        (await auditEvents(reader, 'type=SearchPerformed')).map(({ data }) => data.searchId as string).sort();
      // The read model of the audit may lag behind the one that counts accesses.
      await expect
        .poll(recordedSearchIds, { timeout: 10_000 })
        .toEqual(searched.map(({ body }) => body.searchId as string).sort());
    } finally {
      await second.stop();
      await first.remove();
    }
  });
});

describeOnce('serve', () => {
  it('[J4] [J8] accepts its settings as options, logs its address, and warns about an unknown setting without its value', async () => {
    const dataDir = path.join(folder, 'options');
    const server = await startServer({
      environment: {
        STRATALOG_DATA: path.join(folder, 'not-this-one'),
        STRATALOG_EMBEDDER: 'deterministic',
        STRATALOG_MASTERKEY: 'a-secret-under-a-wrong-name',
      },
      args: ['--data', dataDir, '--port', '0', '--host', '127.0.0.1', '--profile', 'embedded'],
    });
    try {
      const ready = server.log.map((line) => JSON.parse(line)).find(({ msg }) => msg.startsWith('ready'));
      expect(ready).toMatchObject({ url: server.url, profile: 'embedded', data: dataDir });
      const logged = server.log.join('\n');
      expect(logged).toMatch(/"variable":"STRATALOG_MASTERKEY".*unknown setting/);
      expect(logged).not.toContain('a-secret-under-a-wrong-name');
    } finally {
      await server.remove();
    }
  });
});
