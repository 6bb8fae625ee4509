import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Client } from '../support/api.ts';
import { shellAs } from '../support/cli.ts';
import { newTenant } from '../support/tenant.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({
  because: 'its heads are signed every second, and its data folder is copied',
  environment: { STRATALOG_EMBEDDER: 'deterministic', STRATALOG_CHECKPOINT_INTERVAL: '1' },
});
let auditor: Client;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'stratalog-guide-'));
  await symlink(path.resolve('examples'), path.join(folder, 'examples'));
  const tenant = await newTenant(server);
  auditor = await tenant.key({ role: 'auditor' });
  const ada = await tenant.key({ user: 'ada' });
  const { memory } = await ada.store({ content: 'Releases are cut on Tuesday.' });
  const { status } = await ada.patch(
    `/v1/memories/${memory.id}`,
    { content: 'Releases are cut on Thursday.' },
    { 'if-match': '"0"' },
  );
  expect(status).toBe(200);
  const erase = { reason: 'asked to', files: 'immediately' };
  const { receipt } = (await tenant.admin.post('/v1/subjects/bob/erase', erase)).body;
  await vi.waitUntil(
    async () => {
      const { body } = await auditor.get(`/v1/erasures/${receipt}`);
      await writeFile(path.join(folder, 'receipt.json'), JSON.stringify(body));
      return body.signature !== undefined && body.proof !== undefined;
    },
    { timeout: 20_000, interval: 200 },
  );
  await ada.post('/v1/search', { query: 'When are releases cut?' });
  await vi.waitUntil(
    async () => {
      const last = (await auditor.get('/v1/audit/events?type=SearchPerformed')).body.items[0];
      const [head] = (await auditor.get('/v1/audit/heads')).body.items;
      return last !== undefined && head !== undefined && head.at > last.at;
    },
    { timeout: 20_000, interval: 200 },
  );
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The shell blocks of a page that need nothing but the server of this test. */
async function blocksOf(page: string): Promise<string[]> {
  const text = await readFile(page, 'utf8');
  return (
    [...text.matchAll(/^```sh\n(.*?)^```$/gms)]
      .map(([, code]) => code!.replaceAll('npx stratalog', 'stratalog').replaceAll(/^.* --follow .*\n/gm, ''))
      // They print notes beside their result.
      .map((code) =>
        code.replaceAll(/^(stratalog (?:summaries show|context) .*?)( *#.*)?$/gm, '$1 2>/dev/null'),
      )
      .filter((code) => !/^export |^go install|witness/m.test(code))
  );
}

/** Runs blocks one after the other, as in one terminal. Returns what each printed. */
async function run(...blocks: readonly string[]): Promise<string[]> {
  const mark = '--- end of block ---';
  const script = [`cd '${folder}'`, 'set -e', ...blocks.map((block) => `${block}echo '${mark}'`)].join('\n');
  const { code, stdout, stderr } = await shellAs(server, auditor, script);
  expect([code, stderr], stdout).toEqual([0, '']);
  return stdout.split(`${mark}\n`).slice(0, -1);
}

describe('the guide for auditors', () => {
  it('[F2] [F3] [F7] [F10] [J4] has commands that run as they stand there', async () => {
    const blocks = await blocksOf('docs/guides/audit.md');
    const offline = blocks.findIndex((code) => code.includes('--data copy'));
    const [events, reported, memory, search, then, whatIf, heads, receipt, verified, proved, ...rest] =
      await run(...blocks.toSpliced(offline, 1));
    expect(rest).toEqual([]);
    expect(events).toMatch(/MemoryUpdated +user:ada/);
    expect(reported).toMatch(/^stratalog-report-.*: \d+ events of tenant [^]*\njanuary\.html: /);
    expect(memory).toMatch(/Releases are cut on Tuesday/);
    expect(JSON.parse(search!)).toMatchObject({ request: { query: 'When are releases cut?' } });
    expect(then).toContain('Releases are cut on Tuesday.');
    expect(whatIf).toMatch(/Another answer to search .*\n.*\n.* it is left out/);
    expect(heads).toMatch(/^origin +stratalog\//);
    expect(receipt).toMatch(/^Genuine: erasure [^]*\nproved: leaf/);
    expect(verified!.match(/^Sound: /gm)).toHaveLength(2);
    expect(proved).toMatch(/"type":"MemoryStored".*\nproved: leaf \d+ of \d+ in stratalog\//);

    const [, example, erasure] = await run(...(await blocksOf('examples/verify/README.md')));
    expect(example).toMatch(/"type":"MemoryStored".*\nproved: /);
    expect(erasure).toMatch(/"type":"ErasureRequested".*\nproved: /);

    await server.stop();
    await cp(server.dataDir, path.join(folder, 'copy'), {
      recursive: true,
      filter: (file) => !/vault\.key$|\.sock$|lock$/.test(file),
    });
    expect(await run(blocks[offline]!)).toEqual([expect.stringMatching(/^Sound: /)]);
  });
});
