import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let tenant: Tenant;
let admin: Client;

beforeAll(async () => {
  tenant = await newTenant(server);
  ({ admin } = tenant);
});

describe('the answer of a store', () => {
  it('[A1] has every field of the memory, with Location, ETag and position', async () => {
    const sent = {
      content: 'Use argon2id for passwords.',
      layer: 'team',
      scope: { org: 'acme', team: 'api' },
      spaces: ['dev_copilot', 'security'],
      metadata: {
        source: { kind: 'adr', number: 7 },
        accepted: true,
        weight: 0.5,
        note: null,
        list: [1, 'b'],
      },
      tags: ['auth', 'Passwörter'],
      externalId: 'adr-7',
      occurredAt: '2024-05-01T12:30:00.250+02:00',
      representations: { code: 'argon2id(p)', formal: 'h = argon2id(p)' },
      subject: 'someone',
    };
    const reply = await admin.post('/v1/memories', sent);

    expect(reply.status).toBe(201);
    const { memory, position } = reply.body;
    const { subject: _, ...kept } = sent;
    expect(memory).toMatchObject({
      ...kept,
      scope: { company: tenant.id, org: 'acme', team: 'api' },
      occurredAt: '2024-05-01T10:30:00.250Z',
      createdBy: 'user:ada',
      revision: 0,
      state: 'active',
      accessCount: 0,
    });
    expect(memory.updatedAt).toBe(memory.createdAt);
    expect(memory).not.toHaveProperty('lastAccessedAt');
    expect(memory).not.toHaveProperty('retentionUntil');
    expect(position).toEqual(expect.any(String));
    expect(reply.headers.get('location')).toBe(`/v1/memories/${memory.id}`);
    expect(reply.headers.get('etag')).toBe('"0"');

    const got = await admin.get(reply.headers.get('location')!);
    expect(got.status).toBe(200);
    expect(got.body).toEqual(memory);
    expect(got.headers.get('etag')).toBe('"0"');
  });

  it('[A1] has defaults for missing fields: layer user and the caller’s own user', async () => {
    const { memory } = await admin.store({ content: 'I prefer tabs.' });
    expect(memory).toMatchObject({
      layer: 'user',
      scope: { company: tenant.id, user: 'ada' },
      spaces: [],
      tags: [],
      metadata: {},
      representations: {},
    });
    expect(Object.keys(memory.scope).sort()).toEqual(['company', 'user']);
    expect(memory).not.toHaveProperty('externalId');
    expect(memory).not.toHaveProperty('occurredAt');
  });

  it('[A1] has an id that sorts by creation time', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push((await admin.store({ content: `step ${n}` })).memory.id);
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(5);
  });
});

describe('content', () => {
  it.each([
    ['composed and decomposed letters', 'é e\u0301 Å A\u030a ﬁ'],
    ['leading and trailing white space', '  \t padded \r\n\r\n  '],
    ['control characters other than U+0000', 'bell \u0007 escape \u001b[31m delete \u007f next line \u0085'],
    ['astral characters, joiners and direction marks', '👩‍👩‍👧‍👦 𝒳 \u202eright\u202c \ufeffmark'],
    ['noncharacters and the replacement character', '\uffff \ufffe \ufffd'],
    [
      'text that looks like code or markup',
      `'; drop table memories; -- <script>alert("x")</script> \${x} %00 \\u0000`,
    ],
    ['one unit', 'x'],
  ])('[A1] stores %s verbatim', async (_, content) => {
    const { memory } = await admin.store({ content });
    expect(memory.content).toBe(content);
    expect((await admin.get(`/v1/memories/${memory.id}`)).body.content).toBe(content);
  });

  it('[A1] rejects content that is too large for an event after compression, and stores nothing', async () => {
    const random = randomBytes(900_000).toString('base64').slice(0, 1_000_000);
    for (const [field, large] of [
      ['content', { content: random }],
      ['metadata', { content: 'x', metadata: { blob: random } }],
    ] as const) {
      const reply = await admin.post('/v1/memories', { ...large, externalId: 'large' });
      expect(reply).toMatchObject({
        status: 413,
        body: { code: 'content-too-large', errors: [{ path: field }] },
      });
    }

    const small = await admin.store({ content: 'x', externalId: 'large' });
    expect(small.memory.externalId).toBe('large');
  });
});

describe('the scope of a memory', () => {
  const layers = ['agent', 'user', 'session', 'project', 'team', 'org'];

  it.each(layers)(
    '[A1] a %s memory needs the identifier of its layer, and no other is inferred',
    async (layer) => {
      const { memory } = await admin.store({ content: layer, layer, scope: { [layer]: 'own', user: 'eve' } });
      const placed = layer === 'user' ? { user: 'eve' } : { [layer]: 'own', user: 'eve' };
      expect(memory.layer).toBe(layer);
      expect(memory.scope).toEqual({ company: tenant.id, ...placed });
    },
  );

  it.each(layers)('[A1] a %s memory without it is rejected at scope.<layer>', async (layer) => {
    const nobody = await tenant.key({ role: 'admin' });
    const reply = await nobody.post('/v1/memories', { content: 'x', layer, scope: {} });
    expectInvalid(reply, `scope.${layer}`);
  });

  it('[A1] a shared layer does not get the caller’s user', async () => {
    const { memory } = await admin.store({ content: 'x', layer: 'project', scope: { project: 'p' } });
    expect(memory.scope).toEqual({ company: tenant.id, project: 'p' });
  });

  it('[A1] the company is the tenant: it is implied, and must be equal if given', async () => {
    const implied = await admin.store({ content: 'x', layer: 'company' });
    expect(implied.memory.scope).toEqual({ company: tenant.id });
    const named = await admin.store({ content: 'x', layer: 'company', scope: { company: tenant.id } });
    expect(named.memory.scope).toEqual({ company: tenant.id });
    const other = await admin.post('/v1/memories', { content: 'x', scope: { company: 'another' } });
    expectInvalid(other, 'scope.company');
  });

  it('[A1] accepts all identifiers together', async () => {
    const scope = { org: 'o', team: 't', project: 'p', session: 's', user: 'u', agent: 'a' };
    const { memory } = await admin.store({ content: 'x', layer: 'session', scope });
    expect(memory.scope).toEqual({ company: tenant.id, ...scope });
  });

  it('[A1] rejects a caller who may not write there', async () => {
    const member = await tenant.key({ user: 'bob', teams: ['api'] });
    const foreign: Json[] = [
      { content: 'x', layer: 'company' },
      { content: 'x', layer: 'team', scope: { team: 'web' } },
      { content: 'x', layer: 'user', scope: { user: 'ada' } },
    ];
    for (const body of foreign) expectProblem(await member.post('/v1/memories', body), 403, 'forbidden');
    const own = await member.store({ content: 'x', layer: 'team', scope: { team: 'api', user: 'ada' } });
    expect(own.memory).toMatchObject({ createdBy: 'user:bob', scope: { user: 'ada' } });
    for (const role of ['reader', 'auditor', 'operator']) {
      // A reader key without a user also lacks an identifier: that is not why it may not write.
      for (const client of [await tenant.key({ role, user: 'bob' }), await tenant.key({ role })]) {
        expectProblem(await client.post('/v1/memories', { content: 'x' }), 403, 'forbidden');
      }
    }
  });
});

describe('externalId', () => {
  it('[A1] is unique in the tenant, and a conflict names the memory that has it', async () => {
    const externalId = 'ticket 1/ä';
    const { memory } = await admin.store({ content: 'first', externalId });
    const second = await admin.post('/v1/memories', { content: 'second', externalId });
    expectProblem(second, 409, 'external-id-taken');
    expect(second.body.memoryId).toBe(memory.id);
    expect((await admin.get(`/v1/memories/${memory.id}`)).body).toMatchObject({
      content: 'first',
      revision: 0,
    });
  });

  it('[A1] can be used again in another tenant', async () => {
    await admin.store({ content: 'x', externalId: 'everywhere' });
    const other = await newTenant(server);
    const { memory } = await other.admin.store({ content: 'y', externalId: 'everywhere' });
    expect(memory.externalId).toBe('everywhere');
  });

  it('[A1] accepts 512 characters and finds the memory by them', async () => {
    const externalId = 'e'.repeat(512);
    const { memory, position } = await admin.store({ content: 'x', externalId });
    expect(memory.externalId).toBe(externalId);
    const list = await admin.get(`/v1/memories?externalId=${externalId}&minPosition=${position}`);
    expect(list.body.items.map(({ id }: Json) => id)).toEqual([memory.id]);
  });
});
