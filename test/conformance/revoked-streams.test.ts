import http from 'node:http';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { clientOf, type Client } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { slowBulk } from '../support/slow-bulk.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({
  because: 'reads the log of the process',
  environment: { STRATALOG_EMBEDDER: 'deterministic' },
});

/** An API key that the tenant's admin can revoke. */
async function revocable(
  { admin }: Tenant,
  rights: object,
): Promise<{ client: Client; revoke(): Promise<void> }> {
  const { id, key } = (await admin.post('/v1/admin/keys', rights)).body;
  return {
    client: clientOf(server, key),
    async revoke() {
      expect((await admin.delete(`/v1/admin/keys/${id}`)).status).toBe(200);
    },
  };
}

describe('a bulk upload', () => {
  it('[I1] [A12] rejects every line after its key is revoked, and stores none of them', async () => {
    const tenant = await newTenant(server);
    const { client, revoke } = await revocable(tenant, { role: 'member', user: 'bob' });
    const bulk = slowBulk(server, client);
    await bulk.send({ content: 'before' });
    const first = await bulk.line();
    expect(first).toMatchObject({ line: 1, status: 201 });
    await revoke();
    await bulk.send({ content: 'after' });
    await bulk.send({ content: '' });
    bulk.end();
    for (const line of [2, 3])
      expect(await bulk.line()).toMatchObject({
        line,
        status: 401,
        problem: { status: 401, code: 'unauthenticated', detail: expect.stringContaining('no longer valid') },
      });
    expect(await bulk.line()).toBeUndefined();
    const { position } = await tenant.admin.store({ content: 'a mark' });
    const stored = await auditEvents(tenant.admin, 'type=MemoryStored&actor=user:bob', position);
    expect(stored.map(({ data }) => data.content)).toEqual(['before']);
  });

  it('[I1] [A12] resumes where it stopped with the next key of the same caller', async () => {
    const tenant = await newTenant(server);
    const { client, revoke } = await revocable(tenant, { role: 'member', user: 'bob' });
    const bulk = slowBulk(server, client);
    await bulk.send({ content: 'one', externalId: 'e1' });
    await bulk.line();
    await revoke();
    await bulk.send({ content: 'two', externalId: 'e2' });
    expect(await bulk.line()).toMatchObject({ line: 2, status: 401, problem: { code: 'unauthenticated' } });
    bulk.end();
    const again = await tenant.key({ role: 'member', user: 'bob' });
    const lines = await again.bulk([{ content: 'two', externalId: 'e2' }]);
    expect(lines).toMatchObject([{ line: 1, status: 201, externalId: 'e2' }]);
  });
});

describe('an audit export', () => {
  /** More than two batches of the export, each larger than what a new connection buffers unread. */
  const events = 1_100;
  const filler = 'x'.repeat(24_000);

  it('[I1] [F2] is cut off once its key is revoked, so that it cannot be mistaken for complete', async () => {
    const tenant = await newTenant(server);
    const lines = await tenant.admin.bulk(
      Array.from({ length: events }, (_, n) => ({
        content: `memory ${n}`,
        representations: { code: filler },
      })),
    );
    await auditEvents(tenant.admin, 'limit=1&type=TenantCreated', lines.at(-1).position);
    const { client, revoke } = await revocable(tenant, { role: 'auditor' });
    const read = async (meanwhile: () => Promise<void>) => {
      const headers = { authorization: `Bearer ${client.key}`, accept: 'application/x-ndjson' };
      // A reused connection may buffer many megabytes, because its window has grown.
      const request = http.get(`${server.url}/v1/audit/events?type=MemoryStored`, { headers, agent: false });
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      expect(response.statusCode).toBe(200);
      await meanwhile();
      let count = 0;
      try {
        for await (const chunk of response) count += String(chunk).split('\n').length - 1;
      } catch {
        return { whole: false, count };
      }
      return { whole: response.complete, count };
    };
    expect(await read(async () => {})).toEqual({ whole: true, count: events });
    const { whole, count } = await read(revoke);
    expect(whole).toBe(false);
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(events);
    expect(server.log.filter((line) => /"level":(50|60)/.test(line))).toEqual([]);
  }, 240_000);
});
