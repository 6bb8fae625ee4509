import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { clientOf, clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import {
  expectClear,
  shellAs,
  stratalog,
  stratalogAs,
  stratalogProcess,
  threeMemories as memories,
} from '../support/cli.ts';
import { readModelNames } from '../support/read-model-names.ts';
import { newAdmin } from '../support/tenant.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({
  because: 'rebuilds and switches read models, which every tenant of a server shares',
  environment: { STRATALOG_EMBEDDER: 'deterministic' },
});

const as = (client: Pick<Client, 'key'>, ...args: string[]) => stratalogAs(server, client, ...args);

describe('summaries', () => {
  it('[J4] [E4] shows, refreshes and configures the summaries of layers', async () => {
    const client = await newAdmin(server);
    await client.store({ layer: 'team', scope: { team: 'search' }, content: 'Releases are cut on Mondays.' });
    expect((await as(client, 'summaries', 'show')).stderr).toContain('summaries refresh');
    const team = ['--layer', 'team', '--team', 'search'];
    const refreshed = await as(client, 'summaries', 'refresh', ...team, '--json');
    expect(refreshed.json).toMatchObject({ layer: 'team', scope: { team: 'search' } });
    await expect
      .poll(async () => (await client.get('/v1/summaries?layer=team')).body.items.length, { timeout: 20_000 })
      .toBe(3);
    const shown = await as(client, 'summaries', 'show', '--layer', 'team', '--query', 'release');
    expect(shown.stdout).toMatch(
      /team search · sentence \(\d+ tokens, relevance [\d.]+\)\nReleases are cut on Mondays\. \[1\]/,
    );
    const one = await as(client, 'summaries', 'show', ...team, '--depth', 'detailed', '--json');
    expect(one.json).toMatchObject([{ depth: 'detailed', freshness: { stale: false } }]);
    const configure = (...options: string[]) =>
      as(client, 'summaries', 'configure', '--layer', 'team', ...options);
    expect((await configure()).stdout).toContain('updateOnChanges: 20');
    const limits = ['--no-interval', '--changes', '5', '--max-age', '3600'];
    const changed = await configure(...limits, '--depth', 'sentence', '--json');
    expect(changed.json).toEqual({
      depths: ['sentence'],
      skipIfUnchanged: true,
      updateOnChanges: 5,
      maxAgeSeconds: 3_600,
    });
    expect((await configure('--no-max-age', '--no-skip-unchanged', '--json')).json).toEqual({
      depths: ['sentence'],
      skipIfUnchanged: false,
      updateOnChanges: 5,
    });
    expect((await as(client, 'summaries', 'refresh')).code).toBe(2);
    expect((await as(client, 'summaries', 'show', '--layer', 'galaxy')).code).toBe(2);
  });
});

describe('context', () => {
  it('[E8] [J4] prints the text, with the sources beside it, and as JSON', async () => {
    const client = await newAdmin(server);
    const lines = await client.bulk(memories);
    await client.post('/v1/search', { query: 'x', minPosition: lines.at(-1)!.position, waitMs: 30_000 });
    const query = memories[0]!.content;
    const shown = await as(client, 'context', query, '--budget', '100');
    expect(shown).toMatchObject({ code: 0, stdout: `[1] ${query}\n` });
    expect(shown.stderr).toContain('[1] user memory m1');
    const { json } = await as(client, 'context', query, '--budget', '100', '--json');
    expect(json).toMatchObject({ text: `[1] ${query}`, items: [{ externalId: 'm1' }] });
    const elsewhere = await as(client, 'context', query, '--space', 'kitchen', '--threshold', '0', '--json');
    expect(elsewhere.json.items.map(({ externalId }: Json) => externalId)).toEqual(['m2']);
    const wrong = await as(client, 'context', query, '--budget', '0');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('tokenBudget');
  });
});

describe('search', () => {
  it('[J4] prints the results as text and as JSON', async () => {
    const client = await newAdmin(server);
    const lines = await client.bulk(memories);
    await client.post('/v1/search', { query: 'x', minPosition: lines.at(-1)!.position, waitMs: 30_000 });
    const query = memories[0]!.content;
    const shown = await as(client, 'search', query);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain(query);
    expect(shown.stdout).toContain('m1');
    expect(shown.stdout).not.toContain('Bread');
    const { json } = await as(client, 'search', query, '--json');
    expect(json.results.map(({ memory }: Json) => memory.externalId)).toEqual(['m1']);
    const all = ['search', 'x', '--threshold', '0', '--json'];
    const names = async (...more: string[]) =>
      (await as(client, ...all, ...more)).json.results.map(({ memory }: Json) => memory.externalId).sort();
    expect(await names('--top', '2', '--order', 'relevance')).toHaveLength(2);
    expect(await names('--layer', 'company')).toEqual(['m3']);
    expect(await names('--space', 'kitchen')).toEqual(['m2']);
    expect(await names('--tag', 'sea')).toEqual(['m1']);
    expect(await names('--filter', '{"metadata.page":{"eq":1}}')).toEqual(['m1']);
    expect(await names('--as-of', lines.at(-1)!.position)).toEqual(['m1', 'm2', 'm3']);
    expect(await names('--as-of', '1999-01-01T00:00:00Z')).toEqual([]);
    expect(await names('--now', '2026-03-12T15:00:00+01:00')).toEqual(['m1', 'm2', 'm3']);
  });

  it('[J4] accepts the query before and after an option that takes several values', async () => {
    const client = await newAdmin(server);
    const lines = await client.bulk([
      ...memories,
      { externalId: 'm4', content: 'Ink', tags: ['desk', 'sea'] },
    ]);
    await client.post('/v1/search', { query: 'x', minPosition: lines.at(-1)!.position, waitMs: 30_000 });
    const names = async (...args: string[]) => {
      const { json } = await as(client, 'search', '--threshold', '0', '--json', ...args);
      return json.results.map(({ memory }: Json) => memory.externalId).sort();
    };
    expect(await names('--layer', 'company', 'x')).toEqual(['m3']);
    expect(await names('--layer=company', 'x')).toEqual(['m3']);
    expect(await names('--layer', 'company', '--layer', 'user', 'x')).toEqual(['m1', 'm2', 'm3', 'm4']);
    expect(await names('x', '--layer', 'company', 'user')).toEqual(['m1', 'm2', 'm3', 'm4']);
    expect(await names('--tag', 'sea', 'x', '--layer', 'user', 'company', '--top', '1')).toHaveLength(1);
    expect(await names('--layer', 'user', '--tag', 'desk', 'x', '--tag', 'sea')).toEqual(['m1', 'm4']);
    expect(await names('--space', 'kitchen', '--', 'x')).toEqual(['m2']);
    expectClear(await as(client, 'search', '--layer', 'team', 'org', 'x'), 2, /too many arguments/);
    expectClear(await as(client, 'search', '--layer', 'team'), 2, /missing required argument 'query'/);
  });

  it('[J4] says that nothing was found and exits with 0', async () => {
    const { code, stdout } = await as(await newAdmin(server), 'search', 'anything');
    expect(code).toBe(0);
    expect(stdout).toMatch(/threshold/);
  });

  it.each([
    ['a filter that is not JSON', ['--filter', '{oops']],
    ['an invalid number', ['--top', 'many']],
    ['an invalid threshold', ['--threshold', 'high']],
    ['an invalid order', ['--order', 'random']],
    ['a time of asking without an offset', ['--now', '2026-03-12T15:00:00']],
  ])('[J8] rejects %s with a clear message', async (_, options) => {
    const result = await as(await newAdmin(server), 'search', 'x', ...options);
    expectClear(result, 2, options[0]!);
  });

  it.each([['tomorrow'], ['2026-11-25'], ['2026-11-25T09:00:00'], ['2026-13-45T00:00:00Z'], ['']])(
    '[J8] rejects --as-of "%s" and names the valid formats',
    async (asOf) => {
      const result = await as(await newAdmin(server), 'search', 'x', '--as-of', asOf);
      expectClear(result, 2, '--as-of', /a position.* or an RFC 3339 time with an offset/);
    },
  );

  it('[J8] fails for a position of another log', async () => {
    const result = await as(await newAdmin(server), 'search', 'x', '--as-of', '000000000000-1');
    expectClear(result, 1, /400 position-unknown/, /not a position of this log/);
  });

  it('[J8] shows each field that the server rejected', async () => {
    const result = await as(await newAdmin(server), 'search', 'x', '--top', '5000');
    expectClear(result, 2, /400 validation-failed/, /topK/);
  });
});

describe('projections', () => {
  it('[J4] shows their state, rebuilds, switches and rolls back', async () => {
    const client = await newAdmin(server);
    await client.store({ content: 'one' });
    const status = await as(client, 'projections', 'status');
    expect(status.code).toBe(0);
    for (const name of ['memories', 'lexical', 'vectors']) expect(status.stdout).toContain(name);
    const rebuilt = await as(client, 'projections', 'rebuild', 'links', 'usage', '--json');
    expect(rebuilt.code).toBe(0);
    expect(rebuilt.json).toMatchObject([
      { name: 'links', equal: true, switched: false },
      { name: 'usage', equal: true, switched: false },
    ]);
    const switched = await as(client, 'projections', 'switch', 'links', '--json');
    expect(switched.json).toMatchObject({ projection: 'links', to: rebuilt.json[0].generation });
    const back = await as(client, 'projections', 'rollback', 'links');
    expect(back).toMatchObject({ code: 0 });
    expect(back.stdout).toContain(`generation ${switched.json.from} now`);
  });

  it('[J4] rebuilds all of them and switches each one whose digest is equal', async () => {
    const client = await newAdmin(server);
    const { code, json } = await as(client, 'projections', 'rebuild', '--switch', '--json');
    expect(code).toBe(0);
    expect(json).toHaveLength(readModelNames.length);
    for (const one of json) expect(one).toMatchObject({ equal: true, switched: true });
    const { json: items } = await as(client, 'projections', 'status', '--json');
    const live = Object.fromEntries(
      items.map(({ name, generations }: Json) => [
        name,
        generations.find(({ active }: Json) => active).generation,
      ]),
    );
    for (const { name, generation } of json) expect(live[name]).toBe(generation);
  });

  it('[J8] treats a repeated name as one', async () => {
    const { code, json } = await as(
      await newAdmin(server),
      'projections',
      'rebuild',
      'links',
      'links',
      '--json',
    );
    expect({ code, json }).toMatchObject({ code: 0, json: [{ name: 'links', equal: true }] });
    expect(json).toHaveLength(1);
  });

  it('[J8] starts no rebuild if any of the names is unknown', async () => {
    const admin = await newAdmin(server);
    const result = await as(admin, 'projections', 'rebuild', 'links', 'linsk');
    expectClear(result, 1, /No rebuild was begun: there is no read model linsk, but .*links/);
    const { json: items } = await as(admin, 'projections', 'status', '--json');
    expect(items.filter(({ rebuilding }: Json) => rebuilding)).toEqual([]);
  });

  it.each([[[]], [['memories', 'links']]])(
    '[J8] starts no rebuild of %j while one is running',
    async (names) => {
      const requests: string[] = [];
      const items = [
        { name: 'memories', generations: [], parked: [] },
        { name: 'links', generations: [], parked: [], rebuilding: { position: 1, head: 9 } },
      ];
      const busy = http.createServer((request, response) => {
        requests.push(request.method!);
        response.end(JSON.stringify({ items }));
      });
      await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
      const environment = { STRATALOG_URL: `http://127.0.0.1:${(busy.address() as AddressInfo).port}` };
      try {
        const result = await stratalog(['projections', 'rebuild', ...names], environment);
        expectClear(result, 1, /No rebuild was begun: links is being rebuilt/, /projections rollback links/);
        expect(requests).toEqual(['GET']);
      } finally {
        busy.close();
      }
    },
  );

  it('[J4] [F4] prints the answer to a retry as text and as JSON', async () => {
    const answer = { projection: 'links', stream: 'links-a.b' };
    const parked = http.createServer((_, response) => response.writeHead(202).end(JSON.stringify(answer)));
    await new Promise<void>((resolve) => parked.listen(0, '127.0.0.1', resolve));
    const environment = { STRATALOG_URL: `http://127.0.0.1:${(parked.address() as AddressInfo).port}` };
    const retry = ['projections', 'retry', answer.projection, answer.stream];
    try {
      expect((await stratalog([...retry, '--json'], environment)).json).toEqual(answer);
      expect((await stratalog(retry, environment)).stdout).toBe('links follows links-a.b again\n');
    } finally {
      parked.close();
    }
  });

  it('[J8] reports an unknown projection, or one with no generation to switch to', async () => {
    const client = await newAdmin(server);
    expectClear(await as(client, 'projections', 'rebuild', 'nonsense'), 1, /no read model nonsense/);
    expectClear(await as(client, 'projections', 'switch', 'audit'), 1, /409 rebuild-not-ready/);
    expectClear(await as(client, 'projections', 'retry', 'links', 'links-a.b'), 1, /404 not-found/, /parked/);
  });
});

describe('audit events', () => {
  it('[J4] prints the filtered events as text and as JSON lines', async () => {
    const client = await newAdmin(server);
    const stored = await client.post('/v1/memories', { content: 'one' }, { 'x-reason': 'to be shown' });
    const { id } = stored.body.memory;
    const deleted = await client.delete(`/v1/memories/${id}`);
    await client.get(`/v1/audit/events?minPosition=${deleted.body.position}&waitMs=30000`);
    const shown = await as(client, 'audit', 'events', '--memory', id);
    expect(shown.code).toBe(0);
    for (const word of ['MemoryStored', 'MemoryDeleted', 'user:ada', 'to be shown']) {
      expect(shown.stdout).toContain(word);
    }
    const { lines } = await as(
      client,
      'audit',
      'events',
      '--json',
      '--type',
      'MemoryStored',
      'ApiKeyCreated',
    );
    expect(lines.map(({ type }) => type)).toEqual(['ApiKeyCreated', 'MemoryStored']);
    const after = await as(
      client,
      'audit',
      'events',
      '--json',
      '--type',
      'MemoryDeleted',
      '--after',
      lines[1].position,
    );
    expect(after.lines).toHaveLength(1);
    const nobody = await as(client, 'audit', 'events', '--json', '--actor', 'user:nobody');
    expect(nobody).toMatchObject({ code: 0, stdout: '' });
  });

  it.each([['tomorrow'], ['2026-11-25T09:00:00Z'], ['5']])(
    '[J8] rejects --after "%s" and names the valid format',
    async (after) => {
      const result = await as(await newAdmin(server), 'audit', 'events', '--after', after);
      expectClear(result, 2, '--after', /a position returned/);
    },
  );

  it('[J8] says which permission the credential lacks', async () => {
    const member = await clientWithKey(server, { tenant: freshTenant(), role: 'member' });
    expectClear(await as(member, 'audit', 'events'), 1, /403 forbidden/, /auditor/);
  });
});

describe('keys', () => {
  it('[J4] creates a key that works, lists it and revokes it', async () => {
    const tenant = freshTenant();
    const created = await as(
      { key: server.masterKey },
      'keys',
      'create',
      '--tenant',
      tenant,
      '--role',
      'admin',
      '--user',
      'ada',
      '--name',
      'laptop',
      '--org',
      'o1',
      '--org',
      'o2',
      '--team',
      't',
      '--expires',
      '2100-01-01T00:00:00Z',
    );
    expect(created.code).toBe(0);
    const key = created.stdout.trim();
    const admin = clientOf(server, key);
    const { body } = await admin.get('/v1/admin/keys');
    expect(body.items).toMatchObject([
      { role: 'admin', user: 'ada', name: 'laptop', orgs: ['o1', 'o2'], teams: ['t'] },
    ]);

    const member = await as(admin, 'keys', 'create', '--json');
    expect((await clientOf(server, member.json.key).get('/v1/memories')).status).toBe(200);
    const listed = await as(admin, 'keys', 'list');
    expect(listed.stdout).toContain(member.json.id);
    expect(listed.stdout).not.toContain(member.json.key);
    expect((await as(admin, 'keys', 'list', '--json')).json).toHaveLength(2);
    expect((await as(admin, 'keys', 'revoke', member.json.id)).code).toBe(0);
    expect((await clientOf(server, member.json.key).get('/v1/memories')).status).toBe(401);
    expect((await as(admin, 'keys', 'list')).stdout).toContain('revoked');
  });

  it('[J8] says why a key cannot be created or revoked', async () => {
    const admin = await newAdmin(server);
    expectClear(await as(admin, 'keys', 'create', '--role', 'king'), 2, '--role', /operator/);
    expectClear(
      await as(admin, 'keys', 'create', '--expires', 'soon'),
      2,
      /400 validation-failed/,
      /expiresAt/,
    );
    expectClear(await as({ key: server.masterKey }, 'keys', 'create'), 2, /tenant/);
    expectClear(await as(admin, 'keys', 'revoke', 'none'), 1, /404 not-found/);
  });
});

describe('connections', () => {
  it('[J4] --url and --key override the environment, before and after the command', async () => {
    const client = await newAdmin(server);
    const wrong = { STRATALOG_URL: 'http://127.0.0.1:1', STRATALOG_API_KEY: 'wrong' };
    const options = ['--url', server.url, '--key', client.key!, '--json'];
    expect((await stratalog([...options, 'keys', 'list'], wrong)).json).toHaveLength(1);
    expect((await stratalog(['keys', 'list', ...options], wrong)).json).toHaveLength(1);
  });

  it('[J8] no server at the address: a clear message that says how to start one', async () => {
    const result = await stratalog(['search', 'x'], { STRATALOG_URL: 'http://127.0.0.1:1' });
    expectClear(result, 1, 'http://127.0.0.1:1', /stratalog serve/);
  });

  it('[J8] another program at the address, or a lost connection: a clear message', async () => {
    const other = http.createServer((request, response) => {
      if (request.url!.startsWith('/v1/memories/bulk'))
        response.write('{"line":1,"status":201}\n{"line":', () => request.socket.destroy());
      else response.end('<html>Welcome</html>');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = { url: `http://127.0.0.1:${(other.address() as AddressInfo).port}` };
    try {
      const page = await stratalogAs(address, { key: 'key' }, 'search', 'x');
      expectClear(page, 1, /something other than Stratalog/);
      // Standard input cannot be read a second time.
      const script = `echo '{"content":"a"}' | stratalog import - --name a`;
      expectClear(await shellAs(address, { key: 'key' }, script), 1, /connection was lost/);
    } finally {
      other.close();
    }
  });

  it('[J3] [J4] a busy server does not end a command, and an import continues after a lost connection', async () => {
    const lines = [1, 2].map((line) => `{"line":${line},"status":201,"id":"m${line}"}\n`);
    let searches = 0;
    const keys: unknown[] = [];
    const busy = http.createServer((request, response) => {
      if (request.url!.startsWith('/v1/search')) {
        if (++searches > 1) return response.end('{"results":[],"warnings":[],"searchId":"s","position":"p"}');
        return response.writeHead(503, { 'retry-after': '0' }).end('{"code":"unavailable"}');
      }
      keys.push(request.headers['idempotency-key']);
      request.resume().on('end', () => {
        if (keys.length > 1) response.end(lines.join(''));
        else response.write(lines[0], () => request.socket.destroy());
      });
      return undefined;
    });
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
    const address = { url: `http://127.0.0.1:${(busy.address() as AddressInfo).port}` };
    const folder = await mkdtemp(path.join(tmpdir(), 'stratalog-busy-'));
    try {
      const file = path.join(folder, 'two.ndjson');
      await writeFile(file, '{"content":"a"}\n{"content":"b"}\n');
      const [search, imported] = await Promise.all([
        stratalogAs(address, { key: 'key' }, 'search', 'x', '--json'),
        stratalogAs(address, { key: 'key' }, 'import', file, '--json'),
      ]);
      expect(search.json.results).toEqual([]);
      expect(imported.json).toMatchObject({ stored: 2, present: 0, refused: 0 });
      expect(new Set(keys).size).toBe(1);
      expect(keys).toHaveLength(2);
    } finally {
      busy.close();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('[J4] a followed stream that is interrupted resumes after the last event, until the server refuses it', async () => {
    const requests: (string | null)[] = [];
    const other = http.createServer((request, response) => {
      requests.push(new URL(request.url!, 'http://x').searchParams.get('after'));
      const event = { at: 'now', type: 'MemoryStored', actor: 'user:ada', stream: 's', revision: 0 };
      const position = `p${requests.length}`;
      if (requests.length < 3)
        response.write(`${JSON.stringify({ ...event, position })}\n`, () => request.socket.destroy());
      else response.writeHead(403).end('{"code":"forbidden","detail":"no longer"}');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const environment = { STRATALOG_URL: `http://127.0.0.1:${(other.address() as AddressInfo).port}` };
    try {
      const followed = await stratalog(['audit', 'events', '--follow', '--json'], environment);
      expectClear(followed, 1, /403 forbidden/);
      expect(followed.lines.map(({ position }) => position)).toEqual(['p1', 'p2']);
      expect(requests).toEqual([null, 'p1', 'p2']);
    } finally {
      other.close();
    }
  });

  it('[J8] escapes terminal control characters in text', async () => {
    const client = await newAdmin(server);
    const content = 'lanterns \u001b[31mare\u0007 red';
    const { position } = await client.store({ content });
    await client.post('/v1/search', { query: content, minPosition: position, waitMs: 30_000 });
    const found = await as(client, 'search', content, '--threshold', '0');
    expect(found.stdout).toContain('lanterns \ufffd[31mare\ufffd red');
    const events = await as(client, 'audit', 'events');
    for (const { stdout } of [found, events]) expect(stdout).not.toMatch(/[\u0007\u001b]/);
  });

  it('[J8] a key that no header can hold: names the wrong option or variable', async () => {
    const environment = { STRATALOG_URL: server.url };
    expectClear(await stratalog(['export', '--key', '日本'], environment), 2, '--key', /ASCII/);
    const variable = { ...environment, STRATALOG_API_KEY: 'clé' };
    expectClear(await stratalog(['keys', 'list'], variable), 2, 'STRATALOG_API_KEY', /ASCII/);
    expectClear(await stratalog(['keys', 'list', '--key', ''], environment), 2, '--key');
  });

  it.each(['localhost:8080', '127.0.0.1', 'ftp://127.0.0.1', 'http://'])(
    '[J8] an invalid server address: names the wrong option or variable (%s)',
    async (url) => {
      expectClear(await stratalog(['export', '--url', url]), 2, '--url', url);
      expectClear(await stratalog(['keys', 'list'], { STRATALOG_URL: url }), 2, 'STRATALOG_URL', url);
    },
  );

  it('[J8] a missing or invalid credential: a clear message that says where to set it', async () => {
    expectClear(
      await stratalog(['search', 'x'], { STRATALOG_URL: server.url }),
      1,
      /401/,
      /STRATALOG_API_KEY/,
    );
    expectClear(await as({ key: 'wrong' }, 'export'), 1, /401 unauthenticated/);
  });
});

describe('the command line', () => {
  it.each([
    ['an unknown command', ['frobnicate']],
    ['an unknown command with --help', ['frobnicate', '--help']],
    ['an unknown subcommand with --help', ['audit', 'frobnicate', '--help']],
    ['an unknown option', ['serve', '--frobnicate']],
    ['a missing argument', ['import']],
    ['one argument too many', ['import', 'a', 'b']],
    ['an option without its value', ['search', 'x', '--top']],
    ['a command without its subcommand', ['keys']],
    ['nothing', []],
  ])('[J4] %s exits with 2 and a hint', async (name, args) => {
    const result = await (name === 'nothing' ? stratalogProcess : stratalog)(args);
    expectClear(result, 2, /help|Usage/);
    expect(result.stdout).toBe('');
  });

  it('[J4] --help and --version exit with 0', async () => {
    const help = await stratalogProcess(['--help']);
    expect(help.code).toBe(0);
    for (const command of [
      'serve',
      'demo',
      'import',
      'export',
      'search',
      'store',
      'get',
      'list',
      'history',
      'update',
      'delete',
      'validate',
      'stats',
      'projections',
      'audit',
      'keys',
      'doctor',
    ]) {
      expect(help.stdout).toContain(command);
    }
    for (const args of [
      ['serve', '--help'],
      ['audit', '--help'],
      ['audit', 'events', '--help'],
      ['help'],
      ['help', 'keys'],
    ])
      expect(await stratalog(args)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Usage: /) });
    const { code, stdout } = await stratalogProcess(['--version']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+/);
  });
});
