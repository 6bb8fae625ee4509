import { beforeAll, describe, expect, it, vi } from 'vitest';
import { clientOf, clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { readModelNames } from '../support/read-model-names.ts';
import { testProfile } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({
  because: 'rebuilds the read models of all tenants',
  environment: { STRATALOG_EMBEDDER: 'deterministic' },
});
let admin: Client;
let operator: Client;
let end: string;

const base = '/v1/admin/projections';
const transientErrors = [
  'SqlUnavailable',
  'LogUnavailable',
  'TransportUnavailable',
  'LexicalIndexUnavailable',
  'CheckpointMoved',
];
const names = readModelNames;
const rows = 200;
const content = (number: number) =>
  `Note ${number}: the pump of hall ${number % 7} was serviced by team ${number % 5}`;

beforeAll(async () => {
  const tenant = freshTenant();
  admin = await clientWithKey(server, { tenant, role: 'admin', user: 'ada' });
  operator = await clientWithKey(server, { tenant, role: 'operator' });
  const lines = await admin.bulk(
    Array.from({ length: rows }, (_, number) => ({ externalId: `n${number}`, content: content(number) })),
  );
  const [first, second, third, fourth] = lines.map(({ id }) => id);
  await admin.patch(`/v1/memories/${first}`, { content: 'The pump of hall 9 is new' }, { 'if-match': '*' });
  await admin.delete(`/v1/memories/${second}`);
  await admin.put(`/v1/memories/${first}/links/supports/${third}`);
  await admin.post(`/v1/memories/${third}/feedback`, { kind: 'outdated' });
  await admin.delete(`/v1/memories/${fourth}?mode=erase`);
  const asked = {
    query: 'pump of hall 9',
    threshold: 0,
    minPosition: lines.at(-1)!.position,
    waitMs: 30_000,
  };
  const { body } = await admin.post('/v1/search', asked);
  const used = body.results[0].memory.id;
  expect((await admin.post(`/v1/searches/${body.searchId}/outcome`, { used: [used] })).status).toBe(200);
  await vi.waitUntil(
    async () => {
      const { results } = (await admin.post('/v1/search', asked)).body;
      return results.some(({ memory }: Json) => memory.importance !== 0.5);
    },
    { timeout: 30_000, interval: 100 },
  );
  const { layer } = (await admin.get(`/v1/memories/${third}`)).body;
  expect((await admin.post('/v1/summaries/refresh', { layer })).status).toBe(202);
  await vi.waitUntil(async () => (await admin.get('/v1/summaries')).body.items.length === 3, {
    timeout: 30_000,
    interval: 100,
  });
  const attempt = { query: 'pump', approach: 'search', outcome: 'success', memoriesUsed: [third] };
  for (let count = 0; count < 2; count += 1)
    expect((await admin.post('/v1/reasoning/traces', attempt)).status).toBe(201);
  await vi.waitUntil(async () => (await admin.get('/v1/reasoning/strategies')).body.items.length > 0, {
    timeout: 30_000,
    interval: 100,
  });
  expect((await operator.post('/v1/admin/policies/train', { bootstrap: true })).status).toBe(200);
  expect((await admin.post('/v1/reasoning/search', { query: 'pump of hall 9' })).status).toBe(200);
  await storeElsewhere();
  end = (await admin.store({ externalId: 'last', content: 'The last one before the rebuild' })).position;
  const caughtUp = await admin.get(`/v1/stats?minPosition=${end}&waitMs=30000`);
  expect(caughtUp.status).toBe(200);
});

/** In another tenant, whose memories the tests do not count: duplicates, and a document. */
async function storeElsewhere(): Promise<void> {
  const other = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
  await other.put('/v1/spaces/notes', { dedupStrategy: 'semantic', semanticSimilarityThreshold: 0.5 });
  for (const content of ['The key of the shed hangs by the door', 'The shed key hangs by the door'])
    await other.store({ content, spaces: ['notes'] });
  await vi.waitUntil(async () => (await other.get('/v1/duplicates')).body.items.length === 1, {
    timeout: 30_000,
    interval: 100,
  });
  const sent = await other.post('/v1/documents?waitMs=30000', {
    text: '# Shed\n\nThe key hangs by the door.',
  });
  expect(sent.body.document.state).toBe('ready');
}

async function statusOf(name: string): Promise<Json> {
  const { status, body } = await operator.get(base);
  expect(status).toBe(200);
  return body.items.find((item: Json) => item.name === name);
}

const liveOf = (status: Json): Json => status.generations.find(({ active }: Json) => active);

/** Starts a rebuild and returns the new generation once it was compared with the live one. */
async function rebuild(name: string): Promise<Json> {
  const started = await operator.post(`${base}/${name}/rebuild`);
  expect(started).toMatchObject({ status: 202, body: { projection: name } });
  return finished(name, started.body.generation);
}

async function finished(name: string, generation: number): Promise<Json> {
  let own: Json;
  await expect
    .poll(
      async () => {
        own = (await statusOf(name)).generations.find((item: Json) => item.generation === generation);
        return own.state;
      },
      { timeout: 60_000 },
    )
    .not.toBe('building');
  return own;
}

const request = { query: 'the pump of hall 3', threshold: 0, topK: 1000, waitMs: 30_000 };
const search = async (minPosition: string) =>
  (await admin.post('/v1/search', { ...request, minPosition })).body.results.map(
    ({ memory, score }: Json) => [memory.externalId, score],
  );

describe('the state of read models', () => {
  it('[F4] shows the live generation, position, lag and parked streams of each', async () => {
    const { body } = await operator.get(base);
    expect(body.items.map(({ name }: Json) => name).sort()).toEqual(names);
    for (const item of body.items) {
      expect(item.parked).toEqual([]);
      const live = liveOf(item);
      expect(live).toMatchObject({ state: 'live', active: true });
      await expect
        .poll(async () => liveOf(await statusOf(item.name)).position, { timeout: 120_000 })
        .toBeGreaterThan(rows);
      expect(live.lag).toBeGreaterThanOrEqual(0);
    }
  });
});

describe('before any rebuild', () => {
  it('[F4] switch and rollback without another generation answer 409', async () => {
    for (const act of ['switch', 'rollback']) {
      const reply = await operator.post(`${base}/memories/${act}`);
      expect(reply).toMatchObject({ status: 409, body: { code: 'rebuild-not-ready' } });
    }
  });
});

describe('rebuild', () => {
  it.each(names)('[F4] of %s equals the live one by digest', async (name) => {
    const before = liveOf(await statusOf(name));
    const own = await rebuild(name);
    expect(own).toMatchObject({ state: 'ready', active: false, equal: true });
    expect(own.digest.length).toBeGreaterThanOrEqual(16);
    expect(own.generation).not.toBe(before.generation);
    expect(liveOf(await statusOf(name)).generation).toBe(before.generation);
  });

  it('[A10] returns a position that reads can wait for, like every command', async () => {
    const { status, body } = await operator.post(`${base}/links/rebuild`);
    expect(status).toBe(202);
    expect((await operator.get(`${base}?minPosition=${body.position}`)).status).toBe(200);
    await expect
      .poll(async () => (await statusOf('links')).generations.map(({ state }: Json) => state), {
        timeout: 20_000,
      })
      .not.toContain('building');
  });

  it('[F4] gives the same answers after the switch and after the rollback, and both are recorded as events', async () => {
    const before = await search(end);
    expect(before).toHaveLength(rows - 2 + 1);
    for (const name of ['memories', 'lexical', 'vectors']) {
      const old = liveOf(await statusOf(name)).generation;
      const { generation } = await rebuild(name);
      const switched = await operator.post(`${base}/${name}/switch`);
      expect(switched).toMatchObject({ status: 202, body: { projection: name, from: old, to: generation } });
      expect(liveOf(await statusOf(name)).generation).toBe(generation);
      expect(await search(end)).toEqual(before);
    }
    const { position } = await admin.store({ externalId: 'after', content: 'Written to both generations' });
    const after = await search(position);
    expect(after).toHaveLength(before.length + 1);
    for (const name of ['memories', 'lexical', 'vectors']) {
      const back = await operator.post(`${base}/${name}/rollback`);
      expect(back.status).toBe(202);
      expect(liveOf(await statusOf(name)).generation).toBe(back.body.to);
    }
    // The generation rolled back to kept projecting, so it has all later writes.
    expect(await search(position)).toEqual(after);
    const events = await auditEvents(admin, 'type=ProjectionRebuilt&type=ProjectionSwitched', position);
    const recorded = events
      .filter(({ data }) => data.projection === 'lexical')
      .map(({ type, data }) => [type, data]);
    expect(recorded.filter(([, data]) => data.rollback !== true).slice(-2)).toMatchObject([
      ['ProjectionRebuilt', { equal: true }],
      ['ProjectionSwitched', { rollback: false }],
    ]);
    await expect
      .poll(
        async () =>
          (await auditEvents(admin, 'type=ProjectionSwitched')).filter(({ data }) => data.rollback).length,
        { timeout: 10_000 },
      )
      .toBe(3);
  });

  it('[F4] shows its progress, keeps searches available, loses no write and rejects a second rebuild', async () => {
    const before = await search(end);
    const writer = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'eve' });
    // Enough memories that the rebuild is still running during the calls below.
    const lines = await writer.bulk(
      Array.from({ length: 1_500 }, (_, number) => ({ content: `Filler ${number}: ${'pump '.repeat(20)}` })),
    );
    await writer.get(`/v1/memories?minPosition=${lines.at(-1)!.position}&waitMs=30000`);
    const started = await operator.post(`${base}/memories/rebuild`);
    expect(started.status).toBe(202);
    const second = await operator.post(`${base}/memories/rebuild`);
    expect(second).toMatchObject({ status: 409, body: { code: 'rebuild-in-progress' } });
    expect(second.headers.get('retry-after')).toMatch(/^[0-9]+$/);
    const early = await operator.post(`${base}/memories/switch`);
    expect(early).toMatchObject({ status: 409, body: { code: 'rebuild-not-ready' } });
    const status = await statusOf('memories');
    expect(status.rebuilding).toMatchObject({ projection: 'memories' });
    const { position: done, head } = status.rebuilding;
    expect(done).toBeLessThanOrEqual(Math.max(head, liveOf(status).position));

    expect((await search(end)).slice(0, before.length)).toEqual(before);
    const written: string[] = [];
    for (let number = 0; number < 10; number++) {
      const { memory } = await writer.store({ content: `Written while it runs ${number}` });
      written.push(memory.id);
    }
    const own = await finished('memories', started.body.generation);
    expect(own).toMatchObject({ state: 'ready', equal: true });
    expect((await operator.post(`${base}/memories/switch`)).status).toBe(202);
    const { position } = await writer.store({ content: 'Written after the switch' });
    const listed = await writer.get(`/v1/memories?limit=11&minPosition=${position}&waitMs=30000`);
    expect(listed.body.items.map(({ id }: Json) => id).slice(1)).toEqual(written.reverse());
    expect((await statusOf('memories')).rebuilding).toBeUndefined();
  }, 300_000);

  it('[A11] with one key starts once and replays its answer', async () => {
    const key = { 'idempotency-key': 'rebuild-once' };
    const first = await operator.post(`${base}/links/rebuild`, {}, key);
    expect(first.status).toBe(202);
    const again = await operator.post(`${base}/links/rebuild`, {}, key);
    expect(again.status).toBe(202);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    await expect
      .poll(
        async () => {
          const { body } = await operator.get(base);
          const links = body.items.find(({ name }: Json) => name === 'links');
          return links.generations.find(({ generation }: Json) => generation === first.body.generation)
            ?.state;
        },
        { timeout: 20_000 },
      )
      .toBe('ready');
  });

  it('[A11] with one key is rolled back once, even by concurrent requests', async () => {
    const { generation: old } = liveOf(await statusOf('links'));
    const { generation } = await rebuild('links');
    expect((await operator.post(`${base}/links/switch`)).status).toBe(202);
    const rollback = () => operator.post(`${base}/links/rollback`, undefined, { 'idempotency-key': 'back' });
    const twins = await Promise.all([rollback(), rollback()]);
    for (const { status } of twins) expect([202, 409]).toContain(status);
    const again = await rollback();
    expect(again).toMatchObject({ status: 202, body: { from: generation, to: old } });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(liveOf(await statusOf('links')).generation).toBe(old);
    const switches = await auditEvents(admin, 'type=ProjectionSwitched', again.body.position);
    expect(switches.filter(({ data }) => data.rollback && data.from === generation)).toHaveLength(1);
  });

  it('[A9] records an event with the reason when it starts', async () => {
    const reason = { 'x-reason': 'to see that it equals the live one' };
    const { body } = await operator.post(`${base}/links/rebuild`, {}, reason);
    await finished('links', body.generation);
    const recorded = async () =>
      (await auditEvents(admin, 'type=ProjectionRebuildBegun&type=ProjectionRebuilt'))
        .filter(({ data }) => data.projection === 'links' && data.generation === body.generation)
        .map(({ type, reason: why }) => ({ type, reason: why }));
    await eventually(recorded).toEqual([
      { type: 'ProjectionRebuildBegun', reason: reason['x-reason'] },
      { type: 'ProjectionRebuilt', reason: reason['x-reason'] },
    ]);
  });

  it('[F4] can be repeated', async () => {
    for (let round = 0; round < 3; round++) {
      const { generation, equal } = await rebuild('links');
      expect(equal).toBe(true);
      const switched = await operator.post(`${base}/links/switch`);
      expect(switched.body.to).toBe(generation);
    }
    expect((await statusOf('links')).generations.length).toBeLessThanOrEqual(2);
  });
});

describe('the server log', () => {
  it('[F4] has no warnings or errors from rebuilding and switching read models', () => {
    const entries: Json[] = server.log.map((line) => JSON.parse(line));
    const warnings = entries.filter(({ level }) => level >= 40);
    // Other tests that use the servers at the same time may cause waits, which are logged.
    const waits = testProfile === 'embedded' ? [] : transientErrors;
    expect(warnings.filter(({ err }) => !waits.includes(err?.type))).toEqual([]);
  });
});

describe('rejected operations', () => {
  it.each(['rebuild', 'switch', 'rollback'])('[F4] %s of an unknown projection answers 404', async (act) => {
    const reply = await operator.post(`${base}/nonsense/${act}`);
    expect(reply).toMatchObject({ status: 404, body: { code: 'not-found' } });
    expect(reply.body.detail).toContain('nonsense');
  });

  it.each(['member', 'reader', 'auditor'])('[I2] every call by a %s answers 403', async (role) => {
    const client = await clientWithKey(server, { tenant: freshTenant(), role });
    expect((await client.get(base)).status).toBe(403);
    for (const act of ['rebuild', 'switch', 'rollback']) {
      expect((await client.post(`${base}/links/${act}`)).status).toBe(403);
      expect((await client.post(`${base}/nonsense/${act}`)).status).toBe(403);
    }
    for (const act of ['retry', 'skip'])
      expect((await client.post(`${base}/links/${act}`, { stream: 'links-a.b' })).status).toBe(403);
  });

  it('[I1] every call without a credential answers 401', async () => {
    expect((await clientOf(server).get(base)).status).toBe(401);
    expect((await clientOf(server).post(`${base}/links/rebuild`)).status).toBe(401);
  });

  it.each(['retry', 'skip'])('[F4] [G4] %s of a stream that is not parked answers 404', async (act) => {
    const reply = await operator.post(`${base}/links/${act}`, { stream: 'links-a.b' });
    expect(reply).toMatchObject({ status: 404, body: { code: 'not-found' } });
    expect(reply.body.detail).toContain('links-a.b');
  });

  it.each(['retry', 'skip'])('[F4] %s of an invalid stream name answers 400', async (act) => {
    for (const stream of ['', '\u0000', 'x'.repeat(201)]) {
      const reply = await operator.post(`${base}/links/${act}`, { stream });
      expect(reply).toMatchObject({ status: 400, body: { errors: [{ path: 'stream' }] } });
    }
  });

  it('[F4] unknown fields answer 400', async () => {
    const reply = await operator.post(`${base}/links/rebuild`, { force: true });
    expect(reply).toMatchObject({ status: 400, body: { errors: [{ path: 'force' }] } });
  });
});
