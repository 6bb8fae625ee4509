import { beforeAll, describe, expect, it, vi } from 'vitest';
import { clientOf, clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { stratalog } from '../support/cli.ts';
import { auditEvents, openLines, type LineStream } from '../support/events.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let tenant: string;
let admin: Client;
let bob: Client;
let ids: string[];
let end: string;
/** A position and time after the first two memories and before the rest. */
let middle: string;

/** The event of a search is written within a second after its answer. */
const patience = { timeout: 10_000, interval: 50 };
const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

beforeAll(async () => {
  tenant = freshTenant();
  admin = await clientWithKey(server, { tenant, role: 'admin', user: 'ada' });
  bob = await clientWithKey(server, { tenant, role: 'member', user: 'bob' });
  ids = [];
  for (const [index, client] of [admin, bob, admin, bob].entries()) {
    ids.push((await client.store({ content: `plan ${index}` })).memory.id);
    if (index !== 1) continue;
    await pause();
    middle = new Date().toISOString();
    await pause();
  }
  await admin.put(`/v1/memories/${ids[0]}/links/related/${ids[2]}`);
  end = (await bob.delete(`/v1/memories/${ids[1]}`)).body.position;
});

const commands = 'type=MemoryStored&type=MemoriesLinked&type=MemoryDeleted';
const stored = (events: readonly Json[]) => events.map(({ data }) => data.memoryId);

describe('audit filters', () => {
  it('[F2] by memory: returns its own events and the links from it', async () => {
    const events = await auditEvents(admin, `memory=${ids[0]}&${commands}`, end);
    expect(events.map(({ type }) => type)).toEqual(['MemoryStored', 'MemoriesLinked']);
    const deleted = await auditEvents(admin, `memory=${ids[1]}&${commands}`, end);
    expect(deleted.map(({ type, revision }) => [type, revision])).toEqual([
      ['MemoryStored', 0],
      ['MemoryDeleted', 1],
    ]);
  });

  it('[F2] by memory: returns its links in both directions and every access', async () => {
    const linked = await auditEvents(admin, `memory=${ids[2]}&type=MemoriesLinked`, end);
    expect(linked.map(({ data }) => data.target)).toEqual([ids[2]]);
    const query = { query: 'plan 2', threshold: 0, minPosition: end, waitMs: 30_000 };
    const { results } = (await admin.post('/v1/search', query)).body;
    expect(results.map(({ memory }: Json) => memory.id)).toContain(ids[2]);
    await vi.waitFor(async () => {
      const [access] = await auditEvents(admin, `memory=${ids[2]}&type=MemoriesAccessed`);
      expect(access?.data.memoryIds).toContain(ids[2]);
    }, patience);
    expect(await auditEvents(admin, `memory=${ids[1]}&type=MemoriesAccessed`)).toEqual([]);
  });

  it('[F2] by type: accepts one or several', async () => {
    expect(stored(await auditEvents(admin, 'type=MemoryStored', end))).toEqual(ids);
    const both = await auditEvents(admin, 'type=MemoryDeleted&type=MemoriesLinked', end);
    expect(both.map(({ type }) => type)).toEqual(['MemoriesLinked', 'MemoryDeleted']);
  });

  it('[F2] newest first, page by page', async () => {
    const newest: Json[] = [];
    let cursor = '';
    do {
      const query = `order=newest&limit=2&${commands}&minPosition=${end}${cursor}`;
      const { status, body } = await admin.get(`/v1/audit/events?${query}`);
      expect(status).toBe(200);
      newest.push(...body.items);
      cursor = body.nextCursor === undefined ? '' : `&cursor=${body.nextCursor}`;
    } while (cursor !== '');
    const oldest = await auditEvents(admin, commands, end);
    expect(newest.map(({ id }) => id)).toEqual(oldest.map(({ id }) => id).toReversed());
    const { body: first } = await admin.get(`/v1/audit/events?limit=1&${commands}`);
    const crossed = await admin.get(`/v1/audit/events?order=newest&${commands}&cursor=${first.nextCursor}`);
    expect(crossed.body.code).toBe('cursor-invalid');
    const table = await admin.get('/v1/audit/events?order=newest&format=csv');
    expect(table.body).toMatchObject({ code: 'validation-failed', errors: [{ path: 'order' }] });
  });

  it('[F2] by actor', async () => {
    expect(stored(await auditEvents(admin, 'type=MemoryStored&actor=user:bob', end))).toEqual([
      ids[1],
      ids[3],
    ]);
    expect(await auditEvents(admin, 'actor=user:nobody', end)).toEqual([]);
  });

  it('[F2] by stream', async () => {
    const [event] = await auditEvents(admin, `memory=${ids[3]}`, end);
    const events = await auditEvents(admin, `stream=${encodeURIComponent(event.stream)}`, end);
    expect(events.map(({ id }) => id)).toEqual([event.id]);
    expect(await auditEvents(admin, `stream=memory-another_tenant.${ids[3]}`, end)).toEqual([]);
  });

  it('[F2] by time: from is inclusive, to is exclusive', async () => {
    const at = encodeURIComponent(middle);
    expect(stored(await auditEvents(admin, `type=MemoryStored&to=${at}`, end))).toEqual(ids.slice(0, 2));
    expect(stored(await auditEvents(admin, `type=MemoryStored&from=${at}`, end))).toEqual(ids.slice(2));
    const [third] = await auditEvents(admin, `memory=${ids[2]}&type=MemoryStored`, end);
    const exact = encodeURIComponent(third.at);
    expect(stored(await auditEvents(admin, `type=MemoryStored&from=${exact}`, end))).toContain(ids[2]);
    expect(stored(await auditEvents(admin, `type=MemoryStored&to=${exact}`, end))).not.toContain(ids[2]);
  });

  it('[F2] by position: returns later events in log order', async () => {
    const all = await auditEvents(admin, commands, end);
    for (const [index, { position }] of all.entries()) {
      const rest = await auditEvents(admin, `${commands}&after=${position}`, end);
      expect(rest.map(({ id }) => id)).toEqual(all.slice(index + 1).map(({ id }) => id));
    }
  });

  it('[F2] are combined with AND', async () => {
    const query = `type=MemoryStored&actor=user:ada&from=${encodeURIComponent(middle)}`;
    expect(stored(await auditEvents(admin, query, end))).toEqual([ids[2]]);
  });

  it.each([
    ['type=Nonsense', 'type.0'],
    ['from=yesterday', 'from'],
    ['to=2024-13-01', 'to'],
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['limit=ten', 'limit'],
    ['follow=yes', 'follow'],
    ['colour=red', 'colour'],
    ['tenant=other', 'tenant'],
    [`memory=${'x'.repeat(101)}`, 'memory'],
    ['memory=%00', 'memory'],
    ['stream=%00', 'stream'],
    ['actor=a%00b', 'actor'],
  ])('[F2] reject %s', async (query, path) => {
    const reply = await admin.get(`/v1/audit/events?${query}`);
    expect(reply).toMatchObject({ status: 400, body: { code: 'validation-failed' } });
    expect(reply.body.errors[0].path).toBe(path);
  });

  it.each([['after'], ['cursor']])('[F2] reject an invalid %s', async (name) => {
    const reply = await admin.get(`/v1/audit/events?${name}=strange`);
    expect(reply.status).toBe(400);
    expect(reply.body.errors[0].path).toBe(name);
  });
});

describe('audit pages', () => {
  it('[F2] reject a cursor used with different filters', async () => {
    const { nextCursor } = (await admin.get('/v1/audit/events?type=MemoryStored&limit=1')).body;
    for (const query of ['type=FeedbackGiven', 'type=MemoryStored&actor=nobody', '']) {
      const reply = await admin.get(`/v1/audit/events?${query}&cursor=${nextCursor}`);
      expect(reply).toMatchObject({ status: 400, body: { code: 'cursor-invalid' } });
    }
    expect((await admin.get(`/v1/audit/events?type=MemoryStored&cursor=${nextCursor}`)).status).toBe(200);
  });

  it('[F2] continue after the position the first page started from, never before it', async () => {
    const all = await auditEvents(admin, commands, end);
    const [first, , third] = all.map(({ position }) => position);
    const begun = `/v1/audit/events?${commands}&limit=2&after=${first}`;
    const { nextCursor } = (await admin.get(begun)).body;
    const idsOf = async (query: string): Promise<unknown[]> =>
      (await admin.get(query)).body.items.map(({ id }: Json) => id);
    const rest = all.slice(3, 5).map(({ id }) => id);
    expect(await idsOf(`${begun}&cursor=${nextCursor}`)).toEqual(rest);
    expect(await idsOf(`/v1/audit/events?${commands}&limit=2&cursor=${nextCursor}`)).toEqual(rest);
    const early = (await admin.get(`/v1/audit/events?${commands}&limit=1`)).body.nextCursor;
    const late = `/v1/audit/events?${commands}&limit=2&after=${third}&cursor=${early}`;
    expect(await idsOf(late)).toEqual(rest);
    const strange = await admin.get(`/v1/audit/events?${commands}&after=strange&cursor=${nextCursor}`);
    expect(strange).toMatchObject({ status: 400, body: { code: 'position-unknown' } });
  });

  it('[F2] of any size return every event once and in order, even during writes', async () => {
    const all = (await auditEvents(admin, commands, end)).map(({ id }) => id);
    expect(all).toHaveLength(6);
    for (const limit of [1, 2, 4, 6, 7]) {
      const paged = await auditEvents(admin, `${commands}&limit=${limit}`, end);
      expect(paged.map(({ id }) => id)).toEqual(all);
    }
    const first = (await admin.get(`/v1/audit/events?${commands}&limit=2`)).body;
    expect(first.items).toHaveLength(2);
    expect(first.nextCursor).toBeTruthy();
    expect(first.position).toBeTruthy();
  });
});

describe('audit as NDJSON', () => {
  it('[F2] Accept: application/x-ndjson returns all events as lines and ends', async () => {
    const all = await auditEvents(admin, commands, end);
    const reply = await admin.get(`/v1/audit/events?${commands}&minPosition=${end}`, {
      accept: 'application/x-ndjson',
    });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toContain('application/x-ndjson');
    expect(reply.body).toEqual(all);
  });

  it.each([[''], ['&follow=true']])('[F2] limit=2%s ends the stream after two lines', async (follow) => {
    const all = await auditEvents(admin, commands, end);
    const reply = await admin.get(`/v1/audit/events?${commands}&limit=2${follow}&minPosition=${end}`, {
      accept: 'application/x-ndjson',
    });
    expect(reply.body).toEqual(all.slice(0, 2));
  });

  it('[F2] follow=true returns existing events, then each new one that matches the filters', async () => {
    const after = end;
    const query = `follow=true&type=MemoryStored&actor=user:bob&after=${after}`;
    const stream = await openLines(`${server.url}/v1/audit/events?${query}`, admin.key);
    try {
      expect(stream.status).toBe(200);
      const seen: string[] = [];
      for (let round = 0; round < 3; round++) {
        await admin.store({ content: 'of another actor' });
        const { memory } = await bob.store({ content: `followed ${round}` });
        const event = await stream.next();
        expect(event).toMatchObject({ type: 'MemoryStored', actor: 'user:bob' });
        expect(event.data).toMatchObject({ memoryId: memory.id, content: `followed ${round}` });
        seen.push(event.position);
      }
      expect(new Set(seen).size).toBe(3);
    } finally {
      stream.close();
    }
    const resumed = await openLines(`${server.url}/v1/audit/events?${query}`, admin.key);
    const first = await resumed.next();
    resumed.close();
    expect(first.data.content).toBe('followed 0');
  });

  it('[F2] follow=true never shows another tenant’s events', async () => {
    const stream = await openLines(
      `${server.url}/v1/audit/events?follow=true&type=MemoryStored&after=${end}&actor=user:eve`,
      admin.key,
    );
    try {
      const foreign = await clientWithKey(server, { tenant: freshTenant(), role: 'member', user: 'eve' });
      await foreign.store({ content: 'elsewhere' });
      const own = await clientWithKey(server, { tenant, role: 'member', user: 'eve' });
      const { memory } = await own.store({ content: 'here' });
      expect((await stream.next()).data.memoryId).toBe(memory.id);
    } finally {
      stream.close();
    }
  });
});

describe('a followed audit stream', () => {
  const follow = (key: string) =>
    openLines(`${server.url}/v1/audit/events?follow=true&type=MemoryStored&after=${end}`, key);
  /** Waits for the stream to end and returns its last line. */
  const readToEnd = async (stream: LineStream): Promise<Json> => {
    let last: Json;
    try {
      for (;;) last = await stream.next();
    } catch (error) {
      expect(String(error)).toContain('the stream ended');
      return last;
    }
  };

  it('[I1] ends once its key is revoked', { timeout: 10_000 }, async () => {
    const { id, key } = (await admin.post('/v1/admin/keys', { role: 'auditor' })).body;
    const stream = await follow(key);
    try {
      await bob.store({ content: 'before the revocation' });
      await stream.next();
      await admin.delete(`/v1/admin/keys/${id}`);
      await bob.store({ content: 'after the revocation' });
      const last = await readToEnd(stream);
      expect(last?.data.content).not.toBe('after the revocation');
    } finally {
      stream.close();
    }
  });

  it('[I1] ends when its key expires', { timeout: 10_000 }, async () => {
    const expiresAt = new Date(Date.now() + 2_000).toISOString();
    const { key } = (await admin.post('/v1/admin/keys', { role: 'auditor', expiresAt })).body;
    const stream = await follow(key);
    try {
      await readToEnd(stream);
      expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
    } finally {
      stream.close();
    }
  });
});

describe('the audit of a place', () => {
  it('[F2] has the events that name it, and all events of its memories', async () => {
    const owner = freshTenant();
    const ada = await clientWithKey(server, { tenant: owner, role: 'admin', user: 'ada' });
    const red = { layer: 'team', scope: { team: 'red', org: 'acme' }, spaces: ['plans'] };
    const { memory } = await ada.store({ content: 'The launch is in May', ...red });
    const other = await ada.store({ content: 'The launch of blue', layer: 'team', scope: { team: 'blue' } });
    const path = `/v1/memories/${memory.id}`;
    await ada.patch(path, { spaces: ['archive'] }, { 'if-match': '*' });
    await ada.put(`/v1/memories/${other.memory.id}/links/related/${memory.id}`);
    const { position } = (await ada.delete(`${path}?mode=erase`)).body;
    const minPosition = (await ada.store({ content: 'mine', layer: 'user', scope: { user: 'ada' } }))
      .position;
    await ada.post('/v1/search', { query: 'launch', scope: { team: 'red' }, minPosition, threshold: 0 });
    await vi.waitFor(async () => {
      expect(await auditEvents(ada, 'type=SearchPerformed&scope.team=red')).toHaveLength(1);
    }, patience);
    const types = 'type=MemoryStored,MemoryUpdated,MemoriesLinked,MemoryErased,SearchPerformed';
    const of = async (filter: string) => {
      const events = await auditEvents(ada, `${types}&${filter}`, position);
      return events.map(({ type }) => type);
    };
    const all = ['MemoryStored', 'MemoryUpdated', 'MemoriesLinked', 'MemoryErased'];
    expect(await of('scope.team=red')).toEqual([...all, 'SearchPerformed']);
    expect(await of('scope.team=red&scope.org=acme&layer=team')).toEqual(all);
    expect(await of('space=plans')).toEqual(all);
    expect(await of('space=archive&type=MemoryErased')).toEqual(all);
    expect(await of('scope.team=blue')).toEqual(['MemoryStored', 'MemoriesLinked']);
    expect(await of('layer=user')).toEqual(['MemoryStored']);
    expect(await of('layer=org,company')).toEqual([]);
    const lines = (await ada.get('/v1/audit/events?layer=user&type=MemoryStored&format=stream')).body;
    expect(lines).toMatchObject({ type: 'MemoryStored', data: { layer: 'user' } });

    const as = { STRATALOG_API_KEY: ada.key!, STRATALOG_URL: server.url };
    const flags = ['--team', 'blue', '--layer', 'team', '--json'];
    const { code, stdout } = await stratalog(['audit', 'events', ...flags], as);
    expect(code).toBe(0);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).type),
    ).toContain('MemoriesLinked');
  });

  it('[F2] and the events with an outcome', async () => {
    const owner = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
    const trace = { query: 'How is the log read?', approach: 'by hand', memoriesUsed: [] };
    for (const outcome of ['success', 'failure'])
      await owner.post('/v1/reasoning/traces', {
        ...trace,
        outcome,
        ...(outcome === 'failure' && { failureReason: 'slow' }),
      });
    await vi.waitFor(async () => {
      expect(await auditEvents(owner, 'type=ReasoningTraceRecorded')).toHaveLength(2);
    }, patience);
    const failed = await auditEvents(owner, 'outcome=failure');
    expect(failed.map(({ data }) => data.outcome)).toEqual(['failure']);
    expect(await auditEvents(owner, 'outcome=failure,success')).toHaveLength(2);
  });
});

describe('the audit as a table', () => {
  const fields = (line: string) => line.split(',').slice(2, 4);

  it('[F2] has one line for each event, by the header Accept or the parameter format', async () => {
    const path = `/v1/audit/events?${commands}`;
    const byHeader = await admin.get(path, { accept: 'text/csv' });
    expect([byHeader.status, byHeader.headers.get('content-type')]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
    ]);
    const byFormat = await admin.get(`${path}&format=csv`);
    expect(byFormat.body).toBe(byHeader.body);
    const [header, ...lines] = byHeader.body.trimEnd().split('\r\n');
    expect(header).toMatch(/^position,at,type,actor,/);
    const events = await auditEvents(admin, commands, end);
    expect(lines.map(fields)).toEqual(events.map(({ type, actor }) => [type, actor]));
    expect(
      (await admin.get(`${path}&format=page&limit=500`, { accept: 'text/csv' })).body.items,
    ).toHaveLength(lines.length);
  });

  it('[F2] [J4] runs nothing in a spreadsheet, and is printed by the command line', async () => {
    const reason = '=HYPERLINK("https://evil.example")';
    const { position } = (await admin.post('/v1/memories', { content: 'a lure' }, { 'x-reason': reason }))
      .body;
    const stored = await auditEvents(admin, 'type=MemoryStored', position);
    const as = { STRATALOG_API_KEY: admin.key!, STRATALOG_URL: server.url };
    const { code, stdout } = await stratalog(['audit', 'events', '--csv', '--type', 'MemoryStored'], as);
    expect(code).toBe(0);
    expect(stdout).toContain(`,"'=HYPERLINK(""https://evil.example"")",`);
    expect(stdout.trimEnd().split('\r\n')).toHaveLength(stored.length + 1);
  });
});

describe('permission to audit', () => {
  it.each([
    ['member', 403],
    ['reader', 403],
    ['operator', 403],
    ['auditor', 200],
    ['admin', 200],
  ])('[I2] a %s receives %s', async (role, status) => {
    const client = await clientWithKey(server, { tenant, role, user: 'someone' });
    expect((await client.get('/v1/audit/events')).status).toBe(status);
    const streamed = await client.get('/v1/audit/events', { accept: 'application/x-ndjson' });
    expect(streamed.status).toBe(status);
    if (status === 200) return;
    expect(streamed.body.code).toBe('forbidden');
    expect((await client.get('/v1/audit/events?follow=true')).status).toBe(403);
  });

  it('[I1] a request without a credential is rejected', async () => {
    expect((await clientOf(server).get('/v1/audit/events')).status).toBe(401);
  });
});
