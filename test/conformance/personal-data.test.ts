import { describe, expect, it } from 'vitest';
import { clientWithKey, freshTenant, type Client } from '../support/api.ts';
import { useSharedServer } from '../support/use-server.ts';

const shared = useSharedServer('deterministic');
const card = '4111 1111 1111 1111';

async function tenantWithPolicies(
  policies: Record<string, object>,
): Promise<{ admin: Client; member: Client }> {
  const tenant = freshTenant();
  const admin = await clientWithKey(shared, { tenant, role: 'admin' });
  for (const [space, pii] of Object.entries(policies))
    expect((await admin.put(`/v1/spaces/${space}`, { pii })).status).toBe(201);
  return { admin, member: await clientWithKey(shared, { tenant, role: 'member', user: 'ada' }) };
}

describe('[H7] personal data and secrets', () => {
  it('are flagged without any policy, but for addresses and numbers that memories are about', async () => {
    const { member } = await tenantWithPolicies({});
    const { body } = await member.post('/v1/memories', { content: `Ask bo@x.example, card ${card}` });
    expect(body.memory.pii).toEqual([{ type: 'card', start: 23, end: 42 }]);
    const quiet = await member.post('/v1/memories', { content: 'Ask bo@x.example at +44 20 7946 0958' });
    expect(quiet.body.memory).not.toHaveProperty('pii');
  });

  it('are redacted before the event, in the content and its other representations', async () => {
    const { admin, member } = await tenantWithPolicies({ notes: { card: 'redact', phone: 'redact' } });
    const { body, status } = await member.post('/v1/memories', {
      content: `Paid with ${card}, again ${card}; ring 07700 900123`,
      spaces: ['notes'],
      representations: { code: `pay("${card}")` },
    });
    expect(status).toBe(201);
    expect(body.memory.content).toBe('Paid with [card-1], again [card-1]; ring [phone-1]');
    expect(body.memory.representations.code).toBe('pay("[card-1]")');
    const { body: events } = await admin.get(`/v1/audit/events?memoryId=${body.memory.id}`);
    expect(JSON.stringify(events)).not.toContain('1111');
    const changed = await member.patch(
      `/v1/memories/${body.memory.id}`,
      { content: `Now ${card}` },
      { 'if-match': '*' },
    );
    expect(changed.body.memory.content).toBe('Now [card-1]');
  });

  it('are refused with type and place, by the strictest space, and nothing is stored', async () => {
    const { member } = await tenantWithPolicies({ open: { secret: 'allow' }, closed: { secret: 'refuse' } });
    const content = 'wifi password: Tr0ub4dor&3-harbour';
    const refused = await member.post('/v1/memories', { content, spaces: ['open', 'closed'] });
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({
      code: 'personal-data-refused',
      errors: [{ path: 'content', message: 'has a secret from 15 to 34' }],
    });
    expect(JSON.stringify(refused.body)).not.toContain('Tr0ub4dor');
    expect((await member.get('/v1/memories')).body.items).toEqual([]);
    const allowed = await member.post('/v1/memories', { content, spaces: ['open'] });
    expect(allowed.body.memory).not.toHaveProperty('pii');
    // A label that is added later counts too.
    const moved = await member.patch(
      `/v1/memories/${allowed.body.memory.id}`,
      { spaces: ['closed'] },
      { 'if-match': '*' },
    );
    expect(moved.status).toBe(422);
  });

  it.each([
    [{ card: 'hide' }, 'pii.card'],
    [{ passport: 'flag' }, 'pii.passport'],
  ])('have policies of known types and actions: %j', async (pii, path) => {
    const { admin } = await tenantWithPolicies({});
    const { status, body } = await admin.put('/v1/spaces/notes', { pii });
    expect(status).toBe(400);
    expect(body.errors[0].path).toContain(path.split('.')[0]);
  });
});
