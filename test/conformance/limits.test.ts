import { request } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { clientOf, clientWithKey, freshTenant, type Client, type Reply } from '../support/api.ts';
import { useServer, useSharedServer } from '../support/use-server.ts';

const shared = useSharedServer('deterministic');
const limits = '/v1/admin/limits';

/** An admin of a new tenant with these limits, and a member of it. */
async function limitedTenant(settings: object): Promise<{ admin: Client; member: Client }> {
  const tenant = freshTenant();
  const admin = await clientWithKey(shared, { tenant, role: 'admin' });
  expect((await admin.put(limits, settings)).status).toBe(200);
  return { admin, member: await clientWithKey(shared, { tenant, role: 'member', user: 'ada' }) };
}

const search = (client: Client, query = 'releases', headers: Record<string, string> = {}): Promise<Reply> =>
  client.post('/v1/search', { query }, headers);

describe('[I4] limits of a tenant', () => {
  it('refuse what is over the rate, say what is left, and let the caller in again when it waited', async () => {
    const { member } = await limitedTenant({ perKey: { unitsPerSecond: 2, burst: 3 } });
    const first = await search(member);
    expect(first.status).toBe(200);
    expect(first.headers.get('ratelimit-policy')).toBe('"key";q=3;w=2');
    expect(first.headers.get('ratelimit')).toMatch(/^"key";r=1;t=\d$/);
    const refused = await until(
      () => search(member),
      (reply) => reply.status === 429,
    );
    expect(refused.body).toMatchObject({ code: 'rate-limited', status: 429 });
    expect(refused.headers.get('ratelimit')).toMatch(/^"key";r=\d;t=\d$/);
    await new Promise((resolve) => setTimeout(resolve, Number(refused.headers.get('retry-after')) * 1_000));
    expect((await search(member)).status).toBe(200);
  });

  it('weigh a call by its work: many cheap ones fit where a few searches do', async () => {
    const { member } = await limitedTenant({ perKey: { unitsPerSecond: 0.01, burst: 3 } });
    const stored = await Promise.all(
      Array.from({ length: 20 }, (_, n) => member.post('/v1/memories', { content: `Note ${n}` })),
    );
    expect(stored.map(({ status }) => status)).toEqual(stored.map(() => 201));
    expect((await member.post('/v1/context', { query: 'notes', tokenBudget: 100 })).status).toBe(429);
  });

  it('bound requests at a time, of a role and of the tenant as a whole', async () => {
    const { admin, member } = await limitedTenant({
      perTenant: { concurrency: 3 },
      byRole: { member: { concurrency: 1 } },
    });
    const statuses = async (client: Client, count: number) =>
      (await Promise.all(Array.from({ length: count }, () => search(client)))).map(({ status }) => status);
    const ofMember = await statuses(member, 6);
    expect(ofMember).toContain(429);
    expect(ofMember).toContain(200);
    expect(await statuses(admin, 3)).toEqual([200, 200, 200]);
    expect(await statuses(admin, 12)).toContain(429);
  });

  it('say what is left of the rate also where there are too many requests at a time', async () => {
    const { member } = await limitedTenant({ perKey: { unitsPerSecond: 1, burst: 20, concurrency: 1 } });
    const replies = await Promise.all(Array.from({ length: 6 }, () => search(member)));
    const refused = replies.find(({ status }) => status === 429)!;
    expect(refused.body.detail).toContain('under way');
    expect(refused.headers.get('ratelimit')).toMatch(/^"key";r=\d+;t=\d+$/);
  });

  it('concern neither other tenants, nor health and metrics', async () => {
    const { member } = await limitedTenant({ perTenant: { unitsPerSecond: 0.01, burst: 1 } });
    await search(member);
    expect((await search(member)).status).toBe(429);
    const other = await clientWithKey(shared, { tenant: freshTenant(), role: 'member', user: 'ada' });
    const found = await search(other);
    expect([found.status, found.headers.get('ratelimit')]).toEqual([200, null]);
    for (const path of ['/livez', '/readyz', '/metrics']) {
      const reply = await clientOf(shared, member.key).get(path);
      expect([path, reply.status, reply.headers.get('ratelimit')]).toEqual([path, 200, null]);
    }
  });

  it('are set by operators, shown to auditors, and replaced as a whole', async () => {
    const { admin, member } = await limitedTenant({ perKey: { concurrency: 5 } });
    expect((await admin.get(limits)).body).toEqual({ limits: { perKey: { concurrency: 5 } } });
    expect((await member.get(limits)).status).toBe(403);
    expect((await member.put(limits, {})).status).toBe(403);
    const changed = await admin.put(limits, { byRole: { agent: { unitsPerSecond: 1 } } });
    expect(changed.body).toEqual({
      limits: { byRole: { agent: { unitsPerSecond: 1 } } },
      position: expect.any(String),
    });
    expect((await admin.put(limits, {})).body.limits).toEqual({});
  });

  it.each([
    [{ perKey: { unitsPerSecond: 0 } }, 'perKey.unitsPerSecond'],
    [{ perKey: { burst: 5 } }, 'perKey.burst'],
    [{ perTenant: { concurrency: 1.5 } }, 'perTenant.concurrency'],
    [{ byRole: { stranger: { concurrency: 1 } } }, 'byRole.stranger'],
    [{ perUser: {} }, 'perUser'],
  ])('refuse %j', async (settings, path) => {
    const admin = await clientWithKey(shared, { tenant: freshTenant(), role: 'admin' });
    const reply = await admin.put(limits, settings);
    expect(reply.status).toBe(400);
    expect(reply.body.errors.map((error: { path: string }) => error.path)).toContain(path);
  });
});

describe('[I4] the deadline of a request', () => {
  let client: Client;
  beforeAll(async () => {
    client = await clientWithKey(shared, { tenant: freshTenant(), role: 'admin', user: 'ada' });
  });

  it('ends it with 504', async () => {
    const headers = { 'x-request-timeout': '0.05' };
    const body = { query: 'releases', minPosition: await unreached(client), waitMs: 20_000 };
    const reply = await client.post('/v1/search', body, headers);
    expect([reply.status, reply.body.code]).toEqual([504, 'deadline-exceeded']);
  });

  it.each(['0', '61', '-1', 'soon', '1e1', ''])('must be seconds up to a minute, not "%s"', async (sent) => {
    const reply = await search(client, 'releases', { 'x-request-timeout': sent });
    expect([reply.status, reply.body.errors?.[0]?.path]).toEqual([400, 'X-Request-Timeout']);
  });
});

describe('[I4] a process with more to do than it can', () => {
  const server = useServer({
    because: 'it works on one request at a time, and lets few wait',
    environment: {
      STRATALOG_EMBEDDER: 'deterministic',
      STRATALOG_WORKING_REQUESTS: '1',
      STRATALOG_WAITING_REQUESTS: '200',
    },
  });
  let [flood, quiet]: Client[] = [];
  beforeAll(async () => {
    flood = await clientWithKey(server, { tenant: 'flood', role: 'member', user: 'ada' });
    quiet = await clientWithKey(server, { tenant: 'quiet', role: 'member', user: 'bob' });
    await Promise.all([flood, quiet].map((each) => each.store({ content: 'Releases are cut on Tuesdays' })));
  });

  it('answers a caller with one request before those that another has waiting, and refuses what cannot wait', async () => {
    let answered = 0;
    const flooding = Array.from({ length: 300 }, async () => {
      const reply = await search(flood!);
      if (reply.status === 200) answered++;
      return reply;
    });
    await until(
      () => clientOf(server).get('/metrics'),
      ({ body }) => /requests_waiting [1-9]/.test(body),
    );
    const before = answered;
    expect((await search(quiet!)).status).toBe(200);
    // Its request may have arrived behind some of the others.
    expect(answered - before).toBeLessThan(120);
    const replies = await Promise.all(flooding);
    const refused = replies.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ body }) => body.code))).toEqual(new Set(['overloaded']));
    expect(refused.every(({ headers }) => Number(headers.get('retry-after')) >= 1)).toBe(true);
    // Of the 201 that have room, a slow machine refuses those that it could not answer in time.
    expect(replies.length - refused.length).toBeGreaterThan(50);
  });

  it('stores whatever else waits, and loses nothing that it acknowledged', async () => {
    const flooding = Array.from({ length: 40 }, () => search(flood!));
    const stored = await Promise.all(
      Array.from({ length: 40 }, (_, n) => quiet!.store({ content: `Fact ${n}` })),
    );
    await Promise.all(flooding);
    const list = await quiet!.get(`/v1/memories?limit=100&minPosition=${stored.at(-1)!.position}`);
    const kept = new Set(list.body.items.map(({ id }: { id: string }) => id));
    expect(stored.every(({ memory }) => kept.has(memory.id))).toBe(true);
  });

  it('does no work for callers who left', async () => {
    const waiting = Array.from({ length: 30 }, () => abandoned(server.url, flood!.key!));
    await Promise.all(waiting);
    const idle = await until(
      () => clientOf(server).get('/metrics'),
      ({ body }) => /requests_waiting 0/.test(body) && /requests_working 0/.test(body),
    );
    expect(idle.status).toBe(200);
  });
});

/** Sends a search and closes the connection before the answer. */
function abandoned(url: string, key: string): Promise<void> {
  return new Promise((resolve) => {
    const sent = request(`${url}/v1/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    });
    sent.on('error', () => resolve());
    sent.end(JSON.stringify({ query: 'releases' }), () =>
      setTimeout(() => sent.destroy(new Error('left')), 20),
    );
  });
}

/** A position that the log does not have yet, as an admin may write it by hand. */
async function unreached(client: Client): Promise<string> {
  const { position } = await client.store({ content: 'The latest note' });
  const [log, number] = position.split('-');
  return `${log}-${(Number.parseInt(number!, 36) + 1_000_000).toString(36)}`;
}

async function until(send: () => Promise<Reply>, isIt: (reply: Reply) => boolean): Promise<Reply> {
  for (let attempt = 0; attempt < 400; attempt++) {
    const reply = await send();
    if (isIt(reply)) return reply;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('it did not come to that');
}
