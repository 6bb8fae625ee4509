import { describe, expect, it } from 'vitest';
import { clientOf, freshTenant, onBehalfOf, type Client, type Json } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');

async function whoami(client: Client): Promise<Json> {
  const { status, body } = await client.get('/v1/whoami');
  expect(status).toBe(200);
  return body;
}

describe('whoami', () => {
  it('[I1] [J5] answers what a key stands for, as the list of keys shows it', async () => {
    const tenant = await newTenant(server);
    const rights = {
      role: 'reader',
      user: 'bob',
      orgs: ['o'],
      teams: ['t'],
      projects: ['p'],
      sessions: ['s'],
    };
    const reader = await tenant.key(rights);
    expect(await whoami(reader)).toMatchObject({
      ...rights,
      tenant: tenant.id,
      roles: ['reader'],
      agents: [],
      credential: 'key',
      environment: 'development',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
    });
  });

  it('[I1] answers for which users an agent works, and for which one now', async () => {
    const tenant = await newTenant(server);
    const agent = await tenant.key({ role: 'agent', agents: ['helper'], users: ['eu-*'] });
    const own = await whoami(agent);
    expect(own).toMatchObject({ role: 'agent', agent: 'helper', users: ['eu-*'] });
    expect(own).not.toHaveProperty('user');
    expect(await whoami(onBehalfOf(server, agent, 'eu-ann'))).toMatchObject({ user: 'eu-ann' });
  });

  it('[I1] needs a credential of a tenant, and is no event', async () => {
    const tenant = await newTenant(server);
    expect((await clientOf(server).get('/v1/whoami')).status).toBe(401);
    expect((await clientOf(server, server.masterKey).get('/v1/whoami')).status).toBe(403);
    const auditor = await tenant.key({ role: 'auditor' });
    const before = (await auditEvents(tenant.admin, `type=AuditRead`)).length;
    await whoami(auditor);
    await whoami(tenant.admin);
    const reads = await auditEvents(tenant.admin, `type=AuditRead`);
    expect(reads.slice(before).map(({ data }: Json) => data?.what)).not.toContain('whoami');
  });
});

describe('the operations of a role', () => {
  const roles = ['agent', 'member', 'reader', 'auditor', 'operator', 'admin'];
  const rightsOf = (role: string) =>
    role === 'agent' ? { role, agents: ['helper'], users: ['*'] } : { role, user: 'bob' };

  it('[J2] [J5] are those that the OpenAPI document names for it', async () => {
    const tenant = await newTenant(server);
    const { body: document } = await clientOf(server).get('/openapi.json');
    const documented: Json[] = Object.entries(document.paths as Record<string, Json>)
      .filter(([path]) => path.startsWith('/v1/'))
      .flatMap(([, methods]) => Object.values(methods as Record<string, Json>));
    for (const operation of documented)
      expect(operation['x-roles'], operation.operationId).toBeInstanceOf(Array);
    for (const role of roles) {
      const { operations } = await whoami(await tenant.key(rightsOf(role)));
      const named = documented.filter((one) => one['x-roles'].includes(role)).map((one) => one.operationId);
      expect([...operations].sort(), role).toEqual(named.sort());
    }
  });

  it('[I3] [J5] leave out what the server refuses to it', async () => {
    const tenant = await newTenant(server);
    const { memory } = await tenant.admin.store({ content: 'the shop opens at nine', layer: 'company' });
    const match = { 'if-match': '*' };
    const calls: Record<string, (client: Client) => Promise<{ readonly status: number }>> = {
      storeMemory: (client) => client.post('/v1/memories', { content: 'a note', scope: { user: 'bob' } }),
      updateMemory: (client) => client.patch(`/v1/memories/${memory.id}`, { tags: ['x'] }, match),
      giveFeedback: (client) => client.post(`/v1/memories/${memory.id}/feedback`, { kind: 'outdated' }),
      postOutcome: (client) => client.post(`/v1/searches/${freshTenant()}/outcome`, { used: [] }),
      endSession: (client) => client.post('/v1/sessions/s/end'),
      auditEvents: (client) => client.get('/v1/audit/events'),
      listProjections: (client) => client.get('/v1/admin/projections'),
      listKeys: (client) => client.get('/v1/admin/keys'),
      listSpaces: (client) => client.get('/v1/spaces'),
    };
    for (const role of ['reader', 'auditor', 'operator']) {
      const client = await tenant.key(rightsOf(role));
      const { operations } = await whoami(client);
      for (const [name, call] of Object.entries(calls)) {
        const { status } = await call(client);
        expect({ name, role, refused: status === 403 || status === 404 }).toEqual({
          name,
          role,
          refused: !operations.includes(name),
        });
      }
    }
  });

  it('[I3] [J5] show an operator no operation that reads content, for which it has no memory', async () => {
    const tenant = await newTenant(server);
    const { position } = await tenant.admin.store({ content: 'the shop opens at nine', layer: 'company' });
    const operator = await tenant.key({ role: 'operator' });
    const { operations } = await whoami(operator);
    expect(operations).not.toEqual(expect.arrayContaining(['listMemories']));
    expect(operations).not.toContain('search');
    expect((await operator.get(`/v1/memories?minPosition=${position}`)).body.items).toEqual([]);
    const { body } = await operator.post('/v1/search', {
      query: 'When does the shop open?',
      minPosition: position,
    });
    expect(body.results).toEqual([]);
  });
});
