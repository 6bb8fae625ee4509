import { describe, expect, it } from 'vitest';
import { clientOf, clientWithKey, type Client, type Json } from '../support/api.ts';
import { stratalog } from '../support/cli.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const within = { timeout: 60_000, interval: 200 };
const server = useSharedServer('deterministic');
const reason = 'asked to be forgotten';

async function personOf(tenant: Tenant, user: string): Promise<Client> {
  return clientWithKey(server, { tenant: tenant.id, role: 'member', user });
}

const told = (client: Client, content: string, fields: Json = {}) =>
  client.store({ content, layer: 'user', ...fields });

/** The receipt when everything but the files of the database is done. */
async function clearedReceipt(admin: Client, id: string): Promise<Json> {
  let body: Json;
  await expect
    .poll(async () => {
      ({ body } = await admin.get(`/v1/erasures/${id}`));
      return body.surfaces.length > 0 && body.surfaces.every(({ state }: Json) => state !== 'pending');
    }, within)
    .toBe(true);
  return body;
}

const countsOf = ({ surfaces }: Json): Record<string, number> =>
  Object.fromEntries(surfaces.map(({ name, count }: Json) => [name, count]));

describe('the erasure of a person', () => {
  it('[F6] [J2] erases memories, questions and attempts of the person at once, and nobody else’s', async () => {
    const [tenant, neighbour] = [await newTenant(server), await newTenant(server)];
    const { admin } = tenant;
    const [alice, bob, namesake] = [
      await personOf(tenant, 'alice'),
      await personOf(tenant, 'bob'),
      await personOf(neighbour, 'alice'),
    ];
    const { memory, position } = await told(alice, 'My number is 555-0199.', { externalId: 'number' });
    const { memory: of } = await told(bob, 'My number is 555-0100.');
    const { memory: elsewhere } = await told(namesake, 'My number is 555-0111.');
    // What the read models have is counted, so they must have it.
    const asked = { query: 'what is my number?', threshold: 0, minPosition: position, waitMs: 30_000 };
    const { searchId } = (await alice.post('/v1/search', asked)).body;

    const reply = await admin.post('/v1/subjects/alice/erase', { reason });
    expect(reply).toMatchObject({ status: 202, body: { receipt: expect.any(String) } });
    expect(reply.headers.get('location')).toBe(`/v1/erasures/${reply.body.receipt}`);
    expectProblem(await alice.get(`/v1/memories/${memory.id}`), 404, 'not-found');
    expect((await admin.get(`/v1/audit/searches/${searchId}`)).body).not.toMatchObject({
      request: { query: 'what is my number?' },
    });
    const receipt = await clearedReceipt(admin, reply.body.receipt);
    expect(receipt).toMatchObject({
      state: 'running',
      reason,
      target: { kind: 'subject' },
      files: 'scheduled',
    });
    expect(receipt).not.toHaveProperty('signature');
    expect(countsOf(receipt)).toMatchObject({ keys: 2, lexical: 1 });
    expect(
      (await admin.post('/v1/search', { query: '555-0199', scope: { user: 'alice' } })).body.results,
    ).toEqual([]);
    expect((await bob.get(`/v1/memories/${of.id}`)).status).toBe(200);
    expect((await namesake.get(`/v1/memories/${elsewhere.id}`)).status).toBe(200);

    // Who comes back begins anew.
    const { memory: later } = await told(alice, 'My number is 555-0200.', { externalId: 'number' });
    expect((await alice.post('/v1/search', { query: 'number', threshold: 0 })).status).toBe(200);
    const again = await admin.post('/v1/subjects/alice/erase', { reason });
    expect(again.body.receipt).not.toBe(reply.body.receipt);
    await clearedReceipt(admin, again.body.receipt);
    expectProblem(await alice.get(`/v1/memories/${later.id}`), 404, 'not-found');
    const nothing = await admin.post('/v1/subjects/alice/erase', { reason });
    const counts = countsOf(await clearedReceipt(admin, nothing.body.receipt));
    expect(Object.entries(counts).filter(([, count]) => count > 0)).toEqual([]);
  });

  it('[F6] leaves what is stored for the person while it is carried out', async () => {
    const tenant = await newTenant(server);
    const { admin } = tenant;
    const alice = await personOf(tenant, 'alice');
    for (let n = 0; n < 5; n++) await told(alice, `Number ${n} is mine.`);
    const { receipt } = (await admin.post('/v1/subjects/alice/erase', { reason })).body;
    const later: string[] = [];
    for (let n = 5; n < 10; n++) later.push((await told(alice, `Number ${n} is mine.`)).memory.id);
    await clearedReceipt(admin, receipt);
    const { items } = (await alice.get('/v1/memories')).body;
    expect(items.map(({ id }: Json) => id).sort()).toEqual(later.sort());
  });

  it('[F6] [J2] is one erasure under one Idempotency-Key', async () => {
    const { admin } = await newTenant(server);
    const key = { 'idempotency-key': 'ticket-4711' };
    const erase = (body: Json) => admin.post('/v1/subjects/alice/erase', body, key);
    const first = await erase({ reason });
    expect((await erase({ reason })).body).toEqual(first.body);
    expectProblem(await erase({ reason: 'another' }), 422, 'idempotency-key-reused');
  });

  it('[F6] [I1] is for admins, with a reason, and not of what is about nobody', async () => {
    const tenant = await newTenant(server);
    const { admin } = tenant;
    const alice = await personOf(tenant, 'alice');
    expectProblem(await alice.post('/v1/subjects/alice/erase', { reason }), 403, 'forbidden');
    expectInvalid(await admin.post('/v1/subjects/alice/erase', {}), 'reason');
    expectInvalid(await admin.post('/v1/subjects/alice/erase', { reason, files: 'never' }), 'files');
    expectInvalid(await admin.post(`/v1/subjects/${tenant.id}/erase`, { reason }), 'id');
    const { receipt } = (await admin.post('/v1/subjects/alice/erase', { reason })).body;
    expectProblem(await alice.get(`/v1/erasures/${receipt}`), 403, 'forbidden');
    const { admin: stranger } = await newTenant(server);
    expectProblem(await stranger.get(`/v1/erasures/${receipt}`), 404, 'not-found');
    expectProblem(await admin.get('/v1/erasures/nonsense'), 404, 'not-found');
  });

  it('[J4] is asked for, and its receipt shown, on the command line', async () => {
    const { admin } = await newTenant(server);
    const environment = { STRATALOG_URL: server.url, STRATALOG_API_KEY: admin.key! };
    const asked = await stratalog(['erase', 'alice', '--reason', reason, '--json'], environment);
    expect(asked).toMatchObject({ code: 0, json: { receipt: expect.any(String) } });
    const shown = await stratalog(['erasures', 'get', asked.json.receipt], environment);
    expect(shown.stdout).toMatch(
      /, running\n.*\nnothing was held|, running\n[^]*out of reach:\n {2}names in clear/,
    );
    const refused = await stratalog(['erase', 'alice'], environment);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--reason') });
  });

  it('[F6] of the question leaves the judgement of a memory of others', async () => {
    const tenant = await newTenant(server);
    const { admin } = tenant;
    const scope = { user: 'alice', teams: ['search'] };
    const alice = await clientWithKey(server, { tenant: tenant.id, role: 'member', ...scope });
    const { memory } = await admin.store({
      content: 'The heron stands in the reeds.',
      layer: 'team',
      scope: { team: 'search' },
    });
    const { searchId } = (await alice.post('/v1/search', { query: 'where is the heron?', threshold: 0 }))
      .body;
    const judged = await alice.post(`/v1/memories/${memory.id}/feedback`, { kind: 'helpful', searchId });
    expect(judged.status, JSON.stringify(judged.body)).toBe(200);
    const held = async () =>
      countsOf({ surfaces: (await admin.get(`/v1/memories/${memory.id}/surfaces`)).body.items })['feedback'];
    await expect.poll(held, within).toBe(2);
    const { receipt } = (await admin.post('/v1/subjects/alice/erase', { reason })).body;
    expect(countsOf(await clearedReceipt(admin, receipt))).toMatchObject({
      'judged questions of the subject': 1,
    });
    await expect.poll(held, within).toBe(1);
  });
});

describe('the erasure of a tenant', () => {
  it('[F6] [I1] is for the master key, which names the tenant twice, and leaves nothing to read', async () => {
    const [tenant, neighbour] = [await newTenant(server), await newTenant(server)];
    const alice = await personOf(tenant, 'alice');
    await told(alice, 'My number is 555-0199.');
    await tenant.admin.store({ content: 'Releases are cut on Tuesdays.', layer: 'company' });
    const { memory: kept, position } = await neighbour.admin.store({
      content: 'Releases are cut on Mondays.',
    });
    // What the read models had is counted, so they must have it.
    const reached = { minPosition: position, waitMs: 30_000 };
    expect((await neighbour.admin.post('/v1/search', { query: 'releases', ...reached })).status).toBe(200);
    const stats = await neighbour.admin.get(`/v1/stats?minPosition=${position}&waitMs=30000`);
    expect(stats.status).toBe(200);
    const master = clientOf(server, server.masterKey);
    const path = `/v1/admin/tenants/${tenant.id}/erase`;
    expectProblem(await tenant.admin.post(path, { reason, confirm: tenant.id }), 403, 'forbidden');
    expectInvalid(await master.post(path, { reason, confirm: 'another' }), 'confirm');
    expectProblem(
      await master.post('/v1/admin/tenants/nobody/erase', { reason, confirm: 'nobody' }),
      404,
      'not-found',
    );
    const reply = await master.post(path, { reason, confirm: tenant.id });
    expect(reply.status, JSON.stringify(reply.body)).toBe(202);
    // Whoever gets the name again gets an empty tenant, and keeps what is stored in it while the erasure is carried out.
    const next = await clientWithKey(server, { tenant: tenant.id, role: 'admin', user: 'eve' });
    const { memory: later } = await next.store({ content: 'A new beginning.' });
    const receipt = await clearedReceipt(master, reply.body.receipt);
    expect(receipt).toMatchObject({ reason, target: { kind: 'tenant', tenant: tenant.id } });
    expect(countsOf(receipt)).toMatchObject({ lexical: 2, statistics: 2 });
    expectProblem(await alice.get('/v1/memories'), 401, 'unauthenticated');
    expect((await neighbour.admin.get(`/v1/memories/${kept.id}`)).status).toBe(200);
    expectProblem(await neighbour.admin.get(`/v1/erasures/${reply.body.receipt}`), 404, 'not-found');
    expect((await next.get('/v1/memories')).body.items).toEqual([expect.objectContaining({ id: later.id })]);
  });
});
