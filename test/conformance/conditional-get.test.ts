import { beforeAll, describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { expectProblem } from '../support/problem.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let tenant: Tenant;
let admin: Client;

beforeAll(async () => {
  tenant = await newTenant(server);
  ({ admin } = tenant);
});

const at = ({ id }: Json) => `/v1/memories/${id}`;
const having = (tags: string) => ({ 'if-none-match': tags });

describe('GET with If-None-Match', () => {
  it.each(['"0"', '*', 'W/"0"', '"7", "0"', '"7",W/"0" , "9"'])(
    '[A10] %s answers 304 without a body to a client that has the memory',
    async (tags) => {
      const { memory } = await admin.store({ content: 'unchanged' });
      for (const method of ['GET', 'HEAD']) {
        const reply = await admin.send(method, at(memory), { headers: having(tags) });
        expect(reply).toMatchObject({ status: 304, body: undefined });
        expect(reply.headers.get('etag')).toBe('"0"');
        expect(reply.headers.get('x-request-id')).toMatch(/./);
        expect(reply.headers.get('content-type')).toBeNull();
      }
    },
  );

  it.each(['"1"', 'W/"1"', '0', '', '"', 'nonsense, "00"'])(
    '[A10] %j answers 200 with the memory to a client that has another version',
    async (tags) => {
      const { memory } = await admin.store({ content: 'unchanged' });
      expect(await admin.get(at(memory), having(tags))).toMatchObject({ status: 200, body: memory });
    },
  );

  it('[A10] answers 200 after a change, a deletion and a restoration, and 304 after links and feedback', async () => {
    const { memory } = await admin.store({ content: 'one' });
    const { memory: other } = await admin.store({ content: 'other' });
    await admin.put(`${at(memory)}/links/related/${other.id}`);
    await admin.post(`${at(memory)}/feedback`, { kind: 'outdated' });
    expect((await admin.get(at(memory), having('"0"'))).status).toBe(304);
    const changes = [
      () => admin.patch(at(memory), { content: 'two' }, { 'if-match': '*' }),
      () => admin.delete(at(memory)),
      () => admin.post(`${at(memory)}/restore`),
    ];
    for (const [revision, change] of changes.entries()) {
      await change();
      expect((await admin.get(at(memory), having(`"${revision}"`))).status).toBe(200);
      expect((await admin.get(at(memory), having(`"${revision + 1}"`))).status).toBe(304);
    }
  });

  it('[A10] compares with the revision at asOf', async () => {
    const { memory, position } = await admin.store({ content: 'one' });
    await admin.patch(at(memory), { content: 'two' }, { 'if-match': '*' });
    const then = (tags: string) => admin.get(`${at(memory)}?asOf=${position}`, having(tags));
    expect((await then('"0"')).status).toBe(304);
    expect(await then('"1"')).toMatchObject({ status: 200, body: { content: 'one' } });
  });

  it('[I2] reveals nothing about memories that the caller cannot see, or that are erased', async () => {
    const { memory } = await admin.store({ content: 'mine' });
    const bob = await tenant.key({ user: 'bob' });
    expectProblem(await bob.get(at(memory), having('*')), 404, 'not-found');
    await admin.delete(`${at(memory)}?mode=erase`);
    expectProblem(await admin.get(at(memory), having('*')), 404, 'not-found');
  });

  it('[F4] is recorded for the audit like any other read', async () => {
    const { memory } = await admin.store({ content: 'looked at' });
    const auditor = await tenant.key({ role: 'auditor', user: 'eve' });
    expect((await auditor.get(at(memory), having('"0"'))).status).toBe(304);
    const { position } = await admin.store({ content: 'a mark at the end of the log' });
    const events = await auditEvents(admin, `type=AuditRead&actor=user:eve`, position);
    expect(events.map(({ data }) => data)).toMatchObject([{ what: 'memory', memoryId: memory.id }]);
  });

  it('[J2] has no effect on calls without an ETag', async () => {
    expect((await admin.get('/v1/memories', having('*'))).status).toBe(200);
    expect((await admin.get('/v1/stats', having('"0"'))).status).toBe(200);
  });
});
