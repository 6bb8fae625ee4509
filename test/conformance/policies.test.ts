import { describe, expect, it } from 'vitest';
import { auditEvents } from '../support/events.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');

describe('Bootstrapping', () => {
  it('[C6] synthetic decisions teach a tenant that has none of its own, once, and are marked in the log', async () => {
    const tenant = await newTenant(server);
    const operator = await tenant.key({ role: 'operator' });
    const train = (body: unknown) => operator.post('/v1/admin/policies/train', body);
    const [first, second] = await Promise.all([train({ bootstrap: true }), train({ bootstrap: true })]);
    const learned = [first.body, second.body].map(({ learnedFrom }) => learnedFrom);
    expect(learned.sort((a, b) => a - b)).toEqual([0, 24]);
    const again = await train({ bootstrap: true });
    expect(again).toMatchObject({ status: 200, body: { version: 'learned-1', learnedFrom: 0 } });
    const [event, ...others] = await auditEvents(tenant.admin, 'type=PolicyUpdated', again.body.position);
    expect(others).toEqual([]);
    expect(event).toMatchObject({ data: { version: 'learned-1', bootstrap: true, state: { steps: 1 } } });
  });

  it('[C6] is for operators and admins, and says what it takes', async () => {
    const tenant = await newTenant(server);
    const member = await tenant.key({ user: 'mia' });
    expectProblem(await member.post('/v1/admin/policies/train', { bootstrap: true }), 403, 'forbidden');
    expectInvalid(await tenant.admin.post('/v1/admin/policies/train', { bootstrap: 'yes' }), 'bootstrap');
  });
});
