import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { expectClear, stratalogAs } from '../support/cli.ts';
import { auditEvents } from '../support/events.ts';
import { useServer } from '../support/use-server.ts';

/** What the site of the tests answers, by path. */
const answers = new Map<string, RequestListener>();
const asked: string[] = [];
const site = createServer((request, response) => {
  asked.push(request.url!);
  const answer = answers.get(request.url!);
  if (answer) answer(request, response);
  else response.writeHead(404).end();
});
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
const { port } = site.address() as AddressInfo;
const at = (route: string) => `http://127.0.0.1:${port}${route}`;
const roots = await realpath(await mkdtemp(path.join(tmpdir(), 'stratalog-sources-')));
const outside = await realpath(await mkdtemp(path.join(tmpdir(), 'stratalog-outside-')));

afterAll(async () => {
  site.closeAllConnections();
  site.close();
  await Promise.all([roots, outside].map((folder) => rm(folder, { recursive: true, force: true })));
});

const server = useServer({
  because: 'it may fetch from the site of the tests and read their folders',
  environment: {
    STRATALOG_EMBEDDER: 'deterministic',
    STRATALOG_FETCH_ALLOW: `127.0.0.1:${port}`,
    STRATALOG_INGEST_ROOTS: roots,
  },
});

const admin = () => clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'root' });
const base = { schedule: '@daily', layer: 'company' };

async function configure(client: Client, id: string, fields: object): Promise<Json> {
  const reply = await client.put(`/v1/sources/${id}`, { ...base, ...fields });
  expect([reply.status, reply.body.detail]).toEqual([201, undefined]);
  return reply.body.source;
}

/** Runs a source and waits until the run is recorded. */
async function run(client: Client, id: string): Promise<Json> {
  const before = (await client.get(`/v1/sources/${id}`)).body.lastRun?.at;
  const asking = await client.post(`/v1/sources/${id}/run`, {});
  expect(asking.status).toBe(202);
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(50)) {
    const source = (await client.get(`/v1/sources/${id}`)).body;
    if (source.lastRun && source.lastRun.at !== before) return source;
  }
  throw new Error(`the source ${id} was not read: ${server.log.slice(-5).join('\n')}`);
}

let markers = 0;

/** The documents of a source once all that was written before is applied, and their sections are stored. */
async function documentsOf(client: Client, id: string): Promise<Json[]> {
  const marker = { ...base, type: 'page', url: at('/marker'), enabled: false, tags: [`${markers++}`] };
  const { position } = (await client.put('/v1/sources/marker', marker)).body;
  const query = `prefix=source:${id}&limit=100&minPosition=${position}&waitMs=30000`;
  for (let attempt = 0; ; attempt++) {
    const { items } = (await client.get(`/v1/documents?${query}`)).body;
    if (attempt === 100 || items.every(({ state }: Json) => state === 'ready' || state === 'failed'))
      return items;
    await sleep(50);
  }
}

const contents = async (client: Client, id: string): Promise<string[]> =>
  (await client.get(`/v1/documents/${id}/memories?limit=500`)).body.items.map(({ content }: Json) => content);

/** What a run can cause; the end of the storing of its sections is recorded after a document is ready. */
const documentEvents = async (client: Client) =>
  (await auditEvents(client)).filter(({ type }) =>
    /^(DocumentReceived|DocumentRefused|DocumentDeleted|DocumentTextRead|Memory)/.test(type as string),
  );

function feed(entries: Readonly<Record<string, string>>): string {
  const items = Object.entries(entries).map(
    ([title, text]) =>
      `<item><guid>${title}</guid><title>${title}</title><description>${text}</description></item>`,
  );
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>${items.join('')}</channel></rss>`;
}

function serve(route: string, body: string | Buffer, headers: Record<string, string> = {}): void {
  answers.set(route, (request, response) => {
    const isKnown = headers['etag'] !== undefined && request.headers['if-none-match'] === headers['etag'];
    response.writeHead(isKnown ? 304 : 200, headers).end(isKnown ? undefined : body);
  });
}

/** A source that comes due by itself, configured first: the other tests pass the time until then. */
let due: Promise<{ readonly client: Client; readonly nextRun: string }>;
beforeAll(() => {
  serve('/due', '# Due\n\nThis page was read by itself.\n', { 'content-type': 'text/markdown' });
  due = admin().then(async (client) => {
    const fields = { type: 'page', url: at('/due'), schedule: '* * * * *' };
    const { nextRun } = await configure(client, 'due', fields);
    expect(new Date(nextRun).getTime() - Date.now()).toBeLessThanOrEqual(60_000);
    return { client, nextRun };
  });
  return due;
});

describe('a source', () => {
  it('[H11] is configured by admins alone, with a schedule that says when it runs next', async () => {
    const tenant = freshTenant();
    const root = await clientWithKey(server, { tenant, role: 'admin', user: 'root' });
    const ada = await clientWithKey(server, { tenant, role: 'member', user: 'ada' });
    for (const reply of [
      await ada.put('/v1/sources/news', { type: 'rss', url: at('/feed'), ...base }),
      await ada.get('/v1/sources'),
      await ada.post('/v1/sources/news/run', {}),
    ])
      expect([reply.status, reply.body.code]).toEqual([403, 'forbidden']);

    const made = await configure(root, 'news', { type: 'rss', url: at('/feed'), spaces: ['news'] });
    const midnight = new Date(new Date().setUTCHours(24, 0, 0, 0)).toISOString();
    expect(made).toMatchObject({ state: 'waiting', createdBy: 'user:root', nextRun: midnight, revision: 0 });
    const changed = await root.patch('/v1/sources/news', { schedule: '30 6 * * 1-5', enabled: false });
    expect(changed.body.source).toMatchObject({ state: 'disabled', url: at('/feed'), spaces: ['news'] });
    expect(changed.body.source.nextRun).toBeUndefined();
    const stale = await root.patch('/v1/sources/news', { enabled: true }, { 'if-match': '"0"' });
    expect(stale.status).toBe(412);
    const wrong = await root.patch('/v1/sources/news', { schedule: 'every day' });
    expect([wrong.status, wrong.body.detail]).toEqual([400, expect.stringContaining('@hourly, @daily')]);
    for (const fields of [
      { type: 'rss', ...base },
      { type: 'rss', url: 'file:///etc/passwd', ...base },
      { type: 'page', url: 'http://user:secret@a.example/', ...base },
      { type: 'directory', path: '/etc', ...base },
      { type: 'directory', path: `${roots}/../elsewhere`, ...base },
      { type: 'directory', url: at('/feed'), ...base },
    ])
      expect((await root.put('/v1/sources/other', fields)).status).toBe(400);
    expect((await root.patch('/v1/sources/news', { layer: 'org', scope: { org: 'o' } })).status).toBe(400);
    expect((await root.get('/v1/sources')).body.items).toMatchObject([{ id: 'news' }]);
    const taken = await root.put('/v1/documents/external/source:news', { text: 'mine', layer: 'company' });
    expect(taken.status).toBe(400);
    expect((await root.delete('/v1/sources/news')).status).toBe(200);
    expect((await root.get('/v1/sources/news')).status).toBe(404);
  });

  it('[H3] [H11] reads a feed: entries that change, entries that leave, and nothing new', async () => {
    const root = await admin();
    serve('/feed', feed({ one: 'The tide is high today.', two: 'The port is closed on Monday.' }), {
      etag: '"1"',
    });
    await configure(root, 'news', { type: 'rss', url: at('/feed'), tags: ['feed'], spaces: ['news'] });
    const first = await run(root, 'news');
    expect(first).toMatchObject({ state: 'waiting', lastRun: { found: 2, new: 2, changed: 0, failed: 0 } });
    const [document] = await documentsOf(root, 'news');
    expect(document).toMatchObject({
      externalId: 'source:news',
      sourceUri: at('/feed'),
      source: 'news',
      createdBy: 'user:root',
      spaces: ['news'],
      tags: ['feed'],
      state: 'ready',
      memories: 2,
    });
    const memories = (await root.get(`/v1/documents/${document!.id}/memories`)).body.items;
    expect(memories.map(({ trust }: Json) => trust.source)).toEqual(['web', 'web']);

    const events = await documentEvents(root);
    expect((await run(root, 'news')).lastRun).toMatchObject({ found: 2, new: 0, unchanged: 2 });
    expect(await documentEvents(root)).toEqual(events);

    serve('/feed', feed({ two: 'The port is closed on Tuesday.', three: 'A ship has come in.' }), {
      etag: '"2"',
    });
    expect((await run(root, 'news')).lastRun).toMatchObject({ found: 2, new: 1, changed: 1, unchanged: 0 });
    await documentsOf(root, 'news');
    const all = (await contents(root, document!.id)).join('\n');
    for (const text of ['tide is high', 'closed on Tuesday', 'A ship has come in'])
      expect(all).toContain(text);
    expect(all).not.toContain('closed on Monday');

    serve('/feed', '<html><body>We are being repaired.</body></html>');
    const broken = await run(root, 'news');
    expect(broken).toMatchObject({ state: 'failing', lastRun: { problem: { code: 'not-readable' } } });
    serve('/feed', feed({}));
    expect((await run(root, 'news')).lastRun.problem.code).toBe('empty-listing');
    expect((await contents(root, document!.id)).join('\n')).toBe(all);
  });

  it('[H11] refuses what is dangerous, and says why without addresses', async () => {
    const root = await admin();
    answers.set('/inside', (_, response) =>
      response.writeHead(302, { location: 'http://127.0.0.2:22/secret' }).end(),
    );
    serve('/bomb', gzipSync(Buffer.alloc(200_000_000)), { 'content-encoding': 'gzip' });
    answers.set('/busy', (_, response) => response.writeHead(429, { 'retry-after': '1' }).end());
    const problems: Record<string, string> = { inside: 'not-allowed', bomb: 'too-large', busy: 'refused' };
    for (const [id, code] of Object.entries(problems)) {
      await configure(root, id, { type: 'page', url: at(`/${id}`) });
      const { state, lastRun } = await run(root, id);
      expect([id, state, lastRun.problem.code]).toEqual([id, 'failing', code]);
      expect(lastRun.problem.detail).not.toContain('127.0.0');
    }
    await configure(root, 'private', { type: 'page', url: 'http://169.254.169.254/latest' });
    expect((await run(root, 'private')).lastRun.problem.code).toBe('not-allowed');
    expect(await documentsOf(root, '')).toEqual([]);
  });

  it('[H11] reads the pages of a sitemap, and deletes those that a complete one lacks', async () => {
    const root = await admin();
    const sitemap = (...pages: string[]) =>
      `<urlset>${pages.map((page) => `<url><loc>${at(page)}</loc></url>`).join('')}</urlset>`;
    serve('/sitemap.xml', sitemap('/a', '/b', '/hidden/c'));
    serve('/robots.txt', 'User-agent: *\nDisallow: /hidden');
    serve(
      '/a',
      '<html><head><title>A</title></head><body><p>Boats leave at nine in the morning.</p></body></html>',
    );
    serve(
      '/b',
      '<html><head><title>B</title></head><body><p>Tickets are sold on the quay.</p></body></html>',
    );
    await configure(root, 'docs', { type: 'sitemap', url: at('/sitemap.xml') });
    expect((await run(root, 'docs')).lastRun).toMatchObject({ found: 2, new: 2, failed: 0 });
    expect(asked).not.toContain('/hidden/c');
    const names = async () => (await documentsOf(root, 'docs')).map(({ externalId }) => externalId).sort();
    expect(await names()).toEqual([`source:docs/${at('/a')}`, `source:docs/${at('/b')}`]);

    serve('/sitemap.xml', sitemap('/a').replace('</urlset>', ''));
    const partial = await run(root, 'docs');
    expect(partial.lastRun).toMatchObject({ removed: 0, problem: { code: 'incomplete-listing' } });
    serve('/sitemap.xml', sitemap());
    expect((await run(root, 'docs')).lastRun).toMatchObject({
      removed: 0,
      problem: { code: 'empty-listing' },
    });
    expect(await names()).toHaveLength(2);

    serve('/sitemap.xml', gzipSync(sitemap('/a')));
    expect((await run(root, 'docs')).lastRun).toMatchObject({ found: 1, unchanged: 1, removed: 1 });
    expect(await names()).toEqual([`source:docs/${at('/a')}`]);
  });

  it('[H11] keeps what a page said when its server answers with nothing', async () => {
    const root = await admin();
    serve('/hours', '<html><body><p>The office opens at nine.</p></body></html>');
    await configure(root, 'hours', { type: 'page', url: at('/hours') });
    expect((await run(root, 'hours')).lastRun).toMatchObject({ found: 1, new: 1 });
    serve('/hours', ' \n');
    expect((await run(root, 'hours')).lastRun).toMatchObject({ problem: { code: 'not-stored' } });
    expect(await documentsOf(root, 'hours')).toMatchObject([{ memories: 1, revision: 1 }]);
  });

  it('[H11] reads a folder: files that are new, changed, renamed and gone', async () => {
    const root = await admin();
    const folder = path.join(roots, 'handbook');
    await mkdir(path.join(folder, 'drafts'), { recursive: true });
    const write = (name: string, text: string) => writeFile(path.join(folder, name), text);
    await write('refunds.md', '# Refunds\n\nRefunds take five working days.\n');
    await write('ships.md', '# Ships\n\nShips leave from the north quay.\n');
    await write('drafts/no.md', '# Drafts\n\nNobody reads this.\n');
    await write('.gitignore', 'drafts\n');
    await writeFile(path.join(outside, 'secret.md'), '# Secret\n\nNot for memory.\n');
    await symlink(path.join(outside, 'secret.md'), path.join(folder, 'link.md'));
    await configure(root, 'handbook', { type: 'directory', path: folder });
    const first = await run(root, 'handbook');
    const documents = await documentsOf(root, 'handbook');
    const named = documents.filter(({ externalId }) => externalId.endsWith('.md'));
    expect(named.map(({ externalId }) => externalId).sort()).toEqual([
      'source:handbook/refunds.md',
      'source:handbook/ships.md',
    ]);
    expect(first.lastRun.removed).toBe(0);
    const ships = named.find(({ externalId }) => externalId.endsWith('ships.md'))!;
    const events = await documentEvents(root);
    expect((await run(root, 'handbook')).lastRun).toMatchObject({ new: 0, changed: 0, removed: 0 });
    expect(await documentEvents(root)).toEqual(events);

    await rename(path.join(folder, 'ships.md'), path.join(folder, 'boats.md'));
    await write('refunds.md', '# Refunds\n\nRefunds take three working days.\n');
    expect((await run(root, 'handbook')).lastRun).toMatchObject({ new: 0, changed: 2, removed: 0 });
    const boats = (await documentsOf(root, 'handbook')).find(({ externalId }) =>
      externalId.endsWith('boats.md'),
    );
    expect(boats).toMatchObject({ id: ships.id, state: 'ready' });

    await write('kept.md', '# Kept\n\nSomebody will delete this by hand.\n');
    expect((await run(root, 'handbook')).lastRun).toMatchObject({ new: 1 });
    const kept = (await documentsOf(root, 'handbook')).find(({ externalId }) =>
      externalId.endsWith('kept.md'),
    )!;
    expect((await root.delete(`/v1/documents/${kept.id}`)).status).toBe(200);
    await write('kept.md', '# Kept\n\nWhat was deleted by hand stays deleted.\n');
    expect((await run(root, 'handbook')).lastRun).toMatchObject({ new: 0, changed: 0 });
    expect((await root.get(`/v1/documents/${kept.id}`)).body.document.state).toBe('deleted');

    await rm(path.join(folder, 'refunds.md'));
    expect((await run(root, 'handbook')).lastRun).toMatchObject({ removed: 1 });
    const left = (await documentsOf(root, 'handbook')).map(({ externalId }) => externalId);
    expect(left).not.toContain('source:handbook/refunds.md');

    await rm(folder, { recursive: true });
    expect(await run(root, 'handbook')).toMatchObject({
      state: 'failing',
      lastRun: { removed: 0, problem: { code: 'not-readable' } },
    });
    await symlink(outside, folder);
    expect((await run(root, 'handbook')).lastRun.problem.code).toBe('not-allowed');
    expect((await documentsOf(root, 'handbook')).map(({ externalId }) => externalId)).toEqual(left);
  });

  it('[J4] [H11] is configured, listed, read and removed on the command line', async () => {
    const root = await admin();
    const cli = (...args: string[]) => stratalogAs(server, root, 'sources', ...args);
    serve('/page', '# Page\n\nA page for the command line.\n', { 'content-type': 'text/markdown' });
    const made = await cli(
      ...['configure', 'page', '--type', 'page', '--from', at('/page'), '--schedule', '@weekly'],
      ...['--layer', 'team', '--team', 'core', '--space', 'notes', '--tag', 'web'],
    );
    expectClear(made, 0);
    expect(made.stdout).toContain('schedule: @weekly');
    expectClear(await cli('configure', 'page', '--schedule', '@monthly', '--state', 'off'), 0);
    expect((await root.get('/v1/sources/page')).body).toMatchObject({
      schedule: '@monthly',
      state: 'disabled',
      scope: { team: 'core' },
      spaces: ['notes'],
      tags: ['web'],
    });
    const read = await cli('run', 'page', '--wait');
    expectClear(read, 0);
    expect(read.stdout).toContain('1 found, 1 new');
    answers.delete('/page');
    const failed = await cli('run', 'page', '--wait');
    expect([failed.code, failed.stdout]).toEqual([1, expect.stringContaining('problem: refused')]);
    expect((await cli('list')).stdout).toMatch(/page +page +@monthly +disabled/);
    expect((await cli('show', 'page', '--json')).json).toMatchObject({ id: 'page', url: at('/page') });
    expectClear(await cli('configure', 'page', '--type', 'rss'), 2, /--schedule and --layer/);
    expectClear(await cli('delete', 'page'), 0);
    expect((await cli('list')).stdout).toContain('no sources yet');
  });

  it('[H1] [H3] waits where a space takes nothing by itself, says why, and runs when it is asked to', async () => {
    const client = await admin();
    serve('/held', '# Held\n\nThe harbour office closes at four on Fridays.\n', {
      'content-type': 'text/markdown',
    });
    await client.put('/v1/spaces/quiet', { autoIngest: false });
    const fields = { type: 'page', url: at('/held'), schedule: '* * * * *' };
    const named = await configure(client, 'named', { ...fields, spaces: ['open', 'quiet'] });
    expect(named).toMatchObject({ state: 'held', held: { spaces: ['quiet'] } });
    expect(named.held.detail).toMatch(/autoIngest.*POST \/v1\/sources\/named\/run/);
    expect(named.nextRun).toBeUndefined();
    // A space that nobody configured, and one with the defaults, take what comes.
    await client.put('/v1/spaces/open', {});
    const open = await configure(client, 'open', { ...fields, spaces: ['open'], schedule: '@daily' });
    expect([open.state, open.held]).toEqual(['waiting', undefined]);

    expect((await run(client, 'named')).lastRun).toMatchObject({ found: 1, new: 1 });
    const [document] = await documentsOf(client, 'named');
    expect(document!.spaces).toEqual(['open', 'quiet']);
    expect((await client.get('/v1/sources')).body.items).toContainEqual(
      expect.objectContaining({ id: 'named', state: 'held' }),
    );
    await client.patch('/v1/spaces/quiet', { autoIngest: null });
    expect((await client.get('/v1/sources/named')).body).toMatchObject({ nextRun: expect.any(String) });
  });

  it('[H1] [H2] brings its documents into the spaces that list it, unless it names spaces itself', async () => {
    const client = await admin();
    serve('/listed', '# Tides\n\nHigh water is at nine in the morning.\n', {
      'content-type': 'text/markdown',
    });
    await client.put('/v1/spaces/harbour', { sources: ['tides'] });
    await client.put('/v1/spaces/other', { sources: ['elsewhere'] });
    const fields = { type: 'page', url: at('/listed') };
    await configure(client, 'tides', fields);
    await run(client, 'tides');
    const [routed] = await documentsOf(client, 'tides');
    expect([routed!.spaces, routed!.routed]).toEqual([['harbour'], { because: 'rule', rules: [] }]);

    await configure(client, 'elsewhere', { ...fields, spaces: ['harbour'] });
    await run(client, 'elsewhere');
    expect((await documentsOf(client, 'elsewhere'))[0]!.spaces).toEqual(['harbour']);

    await client.patch('/v1/spaces/harbour', { autoIngest: false });
    expect((await client.get('/v1/sources/tides')).body).toMatchObject({
      state: 'held',
      held: { spaces: ['harbour'] },
    });
  });

  it('[H11] runs when its schedule comes due', async () => {
    const { client, nextRun } = await due;
    await sleep(Math.max(0, new Date(nextRun).getTime() - Date.now()));
    for (const deadline = Date.now() + 20_000; Date.now() < deadline; await sleep(100)) {
      const { lastRun } = (await client.get('/v1/sources/due')).body;
      if (!lastRun) continue;
      expect(lastRun).toMatchObject({ found: 1, new: 1 });
      return;
    }
    throw new Error('it did not run');
  });
});
