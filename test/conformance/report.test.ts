import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseHTML } from 'linkedom';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Client } from '../support/api.ts';
import { expectClear, shellAs, stratalogAs } from '../support/cli.ts';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({
  because: 'its heads are signed every second, and its whole log is verified',
  environment: { STRATALOG_EMBEDDER: 'deterministic', STRATALOG_CHECKPOINT_INTERVAL: '1' },
});
const hostile = '<script>alert(1)</script>';
let folder: string;
let tenant: Tenant;
let auditor: Client;
/** When everything was over that the reports are about. */
let over: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'stratalog-report-'));
  tenant = await newTenant(server);
  auditor = await tenant.key({ role: 'auditor' });
  const ada = await tenant.key({ user: hostile });
  const { memory } = await ada.store({ content: 'Releases are cut on Tuesday.', layer: 'user' });
  await ada.store({ content: 'The lighthouse is blue.', layer: 'user', tags: [hostile] });
  await ada.post('/v1/search', { query: 'when are releases cut?' });
  await ada.delete(`/v1/memories/${memory.id}`);
  await tenant.admin.post('/v1/subjects/bob/erase', { reason: 'asked to be forgotten' });
  const within = { timeout: 20_000, interval: 200 };
  const searches = '/v1/audit/events?type=SearchPerformed';
  await vi.waitUntil(async () => (await auditor.get(searches)).body.items.length === 1, within);
  over = new Date().toISOString();
  const lastHead = async () => (await auditor.get('/v1/audit/heads?limit=1')).body.items[0];
  await vi.waitUntil(async () => (await lastHead())?.at > over, within);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const report = (client: Client, ...args: string[]) => stratalogAs(server, client, 'report', ...args);

/** The files that a page offers, by their names. */
function filesOf(page: string): Record<string, string> {
  const links = [...parseHTML(page).document.querySelectorAll('a[download]')];
  return Object.fromEntries(
    links.map((link) => [
      link.getAttribute('download')!,
      Buffer.from(link.getAttribute('href')!.split('base64,')[1]!, 'base64').toString(),
    ]),
  );
}

describe('the report of a period', () => {
  it('[J9] is one page with the figures of the period, and without contents and reasons', async () => {
    const target = path.join(folder, 'report.html');
    const result = await report(auditor, '--to', over, '--output', target);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toMatch(/report\.html: \d+ events of tenant /);
    const page = await readFile(target, 'utf8');
    const { document } = parseHTML(page);
    const cards = document.querySelector('#use .cards')!.textContent.replaceAll(/\s+/g, ' ');
    expect(cards).toMatch(/2 memories stored .* 1 memories deleted .* 1 searches/);
    expect(document.querySelector('#audit')!.textContent).toMatch(
      /person with the pseudonym .*role auditor/s,
    );
    expect(document.querySelector('#audit')!.textContent).toContain(`user:${hostile}`);
    expect(document.querySelector('#proof')!.textContent).toMatch(
      /sound.*All events of the range are among the signed/s,
    );
    expect(document.querySelectorAll('.unreadable, script')).toHaveLength(0);
    expect(page).not.toMatch(/lighthouse|Releases|asked to be forgotten|(?:src|href)="https?:/);
  });

  it('[J9] has a head and proofs with which a reader verifies it later', async () => {
    const target = path.join(folder, 'proof.html');
    await report(auditor, '--to', over, '--output', target, '--no-verify');
    const files = filesOf(await readFile(target, 'utf8'));
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
    const verified = await stratalogAs(
      server,
      auditor,
      'audit',
      'verify',
      '--against',
      path.join(folder, 'head.txt'),
    );
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Sound: /) as unknown });
    for (const name of ['first', 'last']) {
      const proof = path.join(folder, `${name}.tlog-proof`);
      const args = ['examples/verify/verify.mjs', proof, files['verifier-key.txt']!];
      expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toMatch(/proved: leaf \d+ of \d+/);
    }
  });

  it('[J9] prints its data with --json, and writes a dated file into the working folder without options', async () => {
    const { json } = await report(auditor, '--to', over, '--json');
    expect(json).toMatchObject({
      tenant: tenant.id,
      caller: { role: 'auditor' },
      proof: { verification: { state: 'sound' }, last: { verified: true } },
    });
    expect(json.range.types).toContainEqual({ name: 'MemoryStored', count: 2 });
    const { code, stdout } = await shellAs(
      server,
      auditor,
      `cd '${folder}' && stratalog report && ls *Z.html`,
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^(stratalog-report-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\dT\d{4}Z\.html): .*\n\1\n$/);
  });

  it('[J9] of a time without events says that nothing happened', async () => {
    const args = ['--from', '2020', '--to', '2021', '--output', '-', '--no-verify'];
    const { code, stdout } = await report(auditor, ...args);
    expect(code).toBe(0);
    expect(stdout).toMatch(/none: nothing happened in the range/);
    expect(stdout).toMatch(/The range has no events, so there is nothing of it to prove/);
  });

  it('[J9] refuses times that it cannot use, and callers who may not read the audit', async () => {
    expectClear(await report(auditor, '--from', 'monday'), 2, /'--from <time>' value 'monday' is invalid/);
    expectClear(await report(auditor, '--from', '2020-02', '--to', '2020-01'), 2, /must be before --to/);
    expectClear(await report(auditor, '--json', '--output', '-'), 2, /--output must be a file/);
    const target = path.join(folder, 'refused.html');
    const member = await tenant.key();
    expectClear(await report(member, '--output', target), 1, /the audit needs the role auditor or admin/);
    expect(await readdir(folder)).not.toContain('refused.html');
  });

  it('[J9] leaves the file as it was if the server goes away before all was read', async () => {
    const target = path.join(folder, 'kept.html');
    await writeFile(target, 'the report of last month');
    const proxy = await CuttingProxy.start(Number(new URL(server.url).port));
    try {
      proxy.cutAfter('/v1/audit/heads', 'answer', Infinity);
      const through = { url: `http://127.0.0.1:${proxy.port}` };
      const args = ['report', '--output', target, '--no-verify'];
      expectClear(await stratalogAs(through, auditor, ...args), 1, /./);
    } finally {
      await proxy.close();
    }
    expect(await readFile(target, 'utf8')).toBe('the report of last month');
    expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([]);
  });
});
