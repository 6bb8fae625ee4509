import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { stratalog, type CliResult } from '../support/cli.ts';
import { newAdmin } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');

describe('stratalog ingest', () => {
  let folder: string;
  let client: Client;
  beforeEach(async () => {
    client = await newAdmin(server);
    folder = await mkdtemp(path.join(tmpdir(), 'stratalog-vault-'));
    await mkdir(path.join(folder, 'Private'));
    await mkdir(path.join(folder, '.obsidian'));
    await write(
      'Hives.md',
      '# Hives\n\nThe first hive is by the pond. See [[Feed]].\n\n## Inspection\n\nOn Sunday.\n',
    );
    await write(
      'Feed.md',
      '---\ntags: [bees]\n---\n\n# Winter feed\n\nThree parts of sugar to two of water.\n',
    );
    await write('Private/Diary.md', '# Diary\n\nNobody reads this.\n');
    await write('.obsidian/app.json', '{}');
    await write('.gitignore', 'Private/\n');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const write = (name: string, text: string): Promise<void> => writeFile(path.join(folder, name), text);

  const run = (...args: string[]): Promise<CliResult> =>
    stratalog(args, { STRATALOG_URL: server.url, STRATALOG_API_KEY: client.key! });

  const ingest = async (...args: string[]): Promise<Json> => {
    const { code, json, stderr } = await run('ingest', folder, '--space', 'notes', '--json', ...args);
    expect([code, stderr]).toEqual([0, '']);
    return json;
  };

  const actions = ({ results }: Json): string[] =>
    results.map(({ action, externalId }: Json) => `${action} ${path.basename(externalId)}`).sort();

  const memories = async (): Promise<Json[]> =>
    (await client.get('/v1/memories?space=notes&limit=100')).body.items;

  it('[H11] [J4] sends a folder, and later only what is new, changed, renamed or gone', async () => {
    const planned = await ingest('--dry-run');
    expect(planned.steps).toMatchObject([
      { action: 'add', externalId: expect.stringContaining('Feed.md') },
      { action: 'add', externalId: expect.stringContaining('Hives.md') },
    ]);
    expect(await memories()).toEqual([]);

    const first = await ingest();
    expect(actions(first)).toEqual(['add Feed.md', 'add Hives.md']);
    await expect.poll(async () => (await memories()).length, { timeout: 30_000 }).toBe(3);
    const stored = await memories();
    expect(stored.map(({ content }) => content).sort()).toEqual([
      'Hives\n\nThe first hive is by the pond. See Feed.',
      'Hives › Inspection\n\nOn Sunday.',
      'Winter feed\n\nThree parts of sugar to two of water.',
    ]);
    expect(await ingest()).toMatchObject({ unchanged: 2, results: [] });

    await write(
      'Hives.md',
      '# Hives\n\nThe first hive is by the pond. See [[Feed]].\n\n## Inspection\n\nOn Monday.\n',
    );
    await rename(path.join(folder, 'Feed.md'), path.join(folder, 'Winter.md'));
    await write('Frames.md', '# Frames\n\nTwelve are empty.\n');
    const second = await ingest();
    expect(actions(second)).toEqual(['add Frames.md', 'change Hives.md', 'move Winter.md']);
    const idOf = (list: Json[], words: string) => list.find(({ content }) => content.includes(words))?.id;
    const news = async () => {
      const list = await memories();
      return [list.length, idOf(list, 'On Monday')];
    };
    await expect.poll(news, { timeout: 30_000 }).toEqual([4, expect.any(String)]);
    const after = await memories();
    expect(idOf(after, 'On Monday')).toBe(idOf(stored, 'On Sunday'));
    expect(idOf(after, 'Three parts')).toBe(idOf(stored, 'Three parts'));

    await rm(path.join(folder, 'Winter.md'));
    expect(actions(await ingest())).toEqual(['delete Winter.md']);
    await expect.poll(async () => idOf(await memories(), 'Three parts'), { timeout: 30_000 }).toBeUndefined();
    const one = await run('ingest', path.join(folder, 'Frames.md'), '--space', 'notes', '--json');
    expect(one.json).toMatchObject({ unchanged: 1, results: [] });
  });

  it('[H3] [J4] says what could not be read, and ends with 1', async () => {
    await write('broken.pdf', '%PDF-1.7 and nothing else');
    const { code, stdout } = await run('ingest', folder);
    expect(code).toBe(1);
    expect(stdout).toMatch(/failed .*broken\.pdf: /);
    const failed = async () => (await run('documents', 'list', '--state', 'failed', '--json')).json.items;
    await expect
      .poll(failed, { timeout: 30_000 })
      .toMatchObject([{ problem: { code: 'document-unreadable' } }]);
    const shown = await run('documents', 'show', (await failed())[0].id);
    expect(shown.stdout).toContain('document-unreadable');
    const missing = await run('ingest', path.join(folder, 'nowhere'));
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('does not exist')]);
  });
});
