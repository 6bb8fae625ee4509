import { describe, expect, it } from 'vitest';
import { clientWithKey, freshTenant, type Client } from '../support/api.ts';
import { useSharedServer } from '../support/use-server.ts';

const shared = useSharedServer('deterministic');

async function tenantWithSpace(config?: object): Promise<{ admin: Client; member: Client; tenant: string }> {
  const tenant = freshTenant();
  const admin = await clientWithKey(shared, { tenant, role: 'admin', user: 'root' });
  if (config) expect((await admin.put('/v1/spaces/notes', config)).status).toBe(201);
  return { tenant, admin, member: await clientWithKey(shared, { tenant, role: 'member', user: 'ada' }) };
}

const store = (client: Client, memory: object) =>
  client.post('/v1/memories', { spaces: ['notes'], ...memory });

describe('[H1] a space', () => {
  it('that nobody configured has defaults, and decides nothing', async () => {
    const { member } = await tenantWithSpace();
    const stored = await store(member, { content: 'any', metadata: { content_type: 'any' } });
    expect(stored.status).toBe(201);
    const { body } = await member.get(`/v1/spaces/notes?minPosition=${stored.body.position}`);
    expect(body).toMatchObject({ configured: false, temporalDecayRate: 0, dedupStrategy: 'none' });
    expect(body.usage).toEqual({ memories: 1, bytes: 3 });
  });

  it.each([
    ['dev_copilot', { retentionDays: 365, maxSizeMb: 1_000, temporalDecayRate: 0.8, dedupStrategy: 'exact' }],
    ['salesforce', { versionTracking: true, citationTracking: true, semanticSimilarityThreshold: 0.92 }],
    ['research', { retentionDays: 180, temporalDecayRate: 0.5, dailyBudgetUsd: 2, monthlyBudgetUsd: 30 }],
  ])('begins from the preset %s, which other fields override', async (preset, values) => {
    const { admin } = await tenantWithSpace();
    const { status, body } = await admin.put('/v1/spaces/mine', { preset, qualityThreshold: 0.1 });
    expect(status).toBe(201);
    expect(body.space).toMatchObject({ ...values, qualityThreshold: 0.1, id: 'mine' });
  });

  it('is changed by one admin at a time, and null brings back a default', async () => {
    const { admin } = await tenantWithSpace({ retentionDays: 30, temporalDecayRate: 0.5 });
    const { headers } = await admin.get('/v1/spaces/notes');
    const ifMatch = { 'if-match': headers.get('etag')! };
    const patched = await admin.patch('/v1/spaces/notes', { retentionDays: null }, ifMatch);
    expect(patched.body.space).not.toHaveProperty('retentionDays');
    expect(patched.body.space.temporalDecayRate).toBe(0.5);
    const late = await admin.patch('/v1/spaces/notes', { retentionDays: 7 }, ifMatch);
    expect(late.body).toMatchObject({ status: 412, code: 'revision-mismatch' });
  });

  it.each([
    ['an unknown field', { colour: 'red' }, 'colour'],
    ['a preset of another name', { preset: 'sales' }, 'preset'],
    ['a quota of nothing', { maxSizeMb: 0 }, 'maxSizeMb'],
    ['a schema that is none', { metadataSchema: { type: 'strange' } }, 'metadataSchema'],
    ['a schema with regular expressions', { metadataSchema: { pattern: '(a+)+' } }, 'metadataSchema'],
  ])('is not configured with %s', async (_, config, path) => {
    const { admin } = await tenantWithSpace();
    const { status, body } = await admin.put('/v1/spaces/notes', config);
    expect(status).toBe(400);
    expect(body.errors[0].path).toBe(path);
  });

  it('may have a metadata field that is named pattern', async () => {
    const { admin } = await tenantWithSpace();
    const metadataSchema = { properties: { pattern: { type: 'string' } } };
    expect((await admin.put('/v1/spaces/notes', { metadataSchema })).status).toBe(201);
  });

  it('accepts the types that it names, and memories without one', async () => {
    const { member } = await tenantWithSpace({ acceptedTypes: ['note'] });
    const refused = await store(member, { content: 'a', metadata: { content_type: 'code' } });
    expect(refused.body).toMatchObject({ status: 400, errors: [{ path: 'metadata.content_type' }] });
    const stored = await store(member, { content: 'a', metadata: { content_type: 'note' } });
    expect(stored.status).toBe(201);
    expect((await store(member, { content: 'b' })).status).toBe(201);
    const changed = await member.patch(
      `/v1/memories/${stored.body.memory.id}`,
      { metadata: { content_type: 'code' } },
      { 'if-match': '*' },
    );
    expect(changed.body).toMatchObject({ status: 400, errors: [{ path: 'metadata.content_type' }] });
  });

  it('refuses metadata that do not fit its schema, in bulk on their line', async () => {
    const { member } = await tenantWithSpace({
      metadataSchema: { type: 'object', properties: { page: { type: 'integer' } } },
      metadataPolicy: 'reject',
    });
    const { body } = await store(member, { content: 'a', metadata: { page: 'one' } });
    expect(body).toMatchObject({ status: 400, errors: [{ path: 'metadata.page' }] });
    expect((await store(member, { content: 'a', metadata: { page: 1 } })).status).toBe(201);
  });

  it('is read by everyone but operators, and configured by admins', async () => {
    const { member, tenant } = await tenantWithSpace({});
    const operator = await clientWithKey(shared, { tenant, role: 'operator' });
    expect((await member.get('/v1/spaces/notes')).status).toBe(200);
    expect((await member.put('/v1/spaces/notes', {})).status).toBe(403);
    expect((await operator.get('/v1/spaces')).status).toBe(403);
  });

  it('keeps its configuration while it has memories', async () => {
    const { admin, member } = await tenantWithSpace({});
    const { body } = await store(member, { content: 'a' });
    const kept = await admin.delete('/v1/spaces/notes');
    expect(kept.body).toMatchObject({ status: 409, code: 'space-not-empty', memories: 1 });
    const deleted = await member.delete(`/v1/memories/${body.memory.id}`);
    const { headers } = await admin.get(`/v1/spaces/notes?minPosition=${deleted.body.position}`);
    expect(headers.get('etag')).toBe('"0"');
    expect((await admin.delete('/v1/spaces/notes')).status).toBe(200);
    expect((await admin.get('/v1/spaces/notes')).status).toBe(404);
  });

  it('must be configured where the tenant says so', async () => {
    const { admin, member } = await tenantWithSpace({});
    const before = await store(member, { content: 'before', spaces: ['free'] });
    expect((await admin.put('/v1/admin/spaces', { strict: true })).status).toBe(200);
    const refused = await store(member, { content: 'a', spaces: ['notes', 'other'] });
    expect(refused.body).toMatchObject({ status: 400, errors: [{ path: 'spaces' }] });
    expect((await store(member, { content: 'a' })).status).toBe(201);
    const kept = await member.patch(
      `/v1/memories/${before.body.memory.id}`,
      { content: 'after' },
      { 'if-match': '*' },
    );
    expect(kept.status).toBe(200);
  });
});

it('[H4] lists the models of the server, and whether a text leaves it', async () => {
  const { member } = await tenantWithSpace();
  const { body, status } = await member.get('/v1/models');
  expect(status).toBe(200);
  const [inUse] = body.items.filter((model: { inUse: boolean }) => model.inUse);
  expect(inUse).toMatchObject({ kind: 'embedding', provider: 'local', local: true });
  expect(inUse.dimensions).toBeGreaterThan(0);
});
