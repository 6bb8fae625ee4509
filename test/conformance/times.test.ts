import { beforeAll, describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { expectInvalid } from '../support/problem.ts';
import { newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let admin: Client;
let memory: Json;
let position: string;

beforeAll(async () => {
  ({ admin } = await newTenant(server));
  ({ memory, position } = await admin.store({ content: 'timed', occurredAt: '2024-05-01t04:00:00.5z' }));
});

const listed = async (parameters: string): Promise<number> => {
  const reply = await admin.get(`/v1/memories?${parameters}&minPosition=${position}`);
  expect([parameters, reply.status]).toEqual([parameters, 200]);
  return reply.body.items.length;
};

describe('a time in the first centuries', () => {
  it.each(['0014-08-19T00:00:00.000Z', '0031-10-18T12:00:00.000Z', '0079-10-24T13:00:00.000Z'])(
    '[A1] [A5] is found, changed and erased like any other (%s)',
    async (occurredAt) => {
      const { admin: own } = await newTenant(server);
      const { memory: early } = await own.store({ content: 'the emperor died at Nola', occurredAt });
      const changed = await own.patch(
        `/v1/memories/${early.id}`,
        { content: 'the emperor died in August' },
        { 'if-match': '"0"' },
      );
      const found = async (minPosition: string) => {
        const request = { query: 'emperor', threshold: 0, minPosition, waitMs: 20_000 };
        const { status, body } = await own.post('/v1/search', request);
        expect(status).toBe(200);
        return body.results.map((result: Json) => result.memory);
      };
      expect(await found(changed.body.position)).toMatchObject([{ id: early.id, occurredAt }]);
      const erased = await own.delete(`/v1/memories/${early.id}?mode=erase`);
      expect(await found(erased.body.position)).toEqual([]);
      const { projections } = (await own.get('/readyz')).body;
      expect(projections.filter(({ parked }: Json) => parked > 0)).toEqual([]);
    },
  );
});

describe('a time with lower-case t and z', () => {
  it('[A1] is accepted in a body and returned in upper case', async () => {
    expect(memory.occurredAt).toBe('2024-05-01T04:00:00.500Z');
    const { body } = await admin.get(`/v1/memories/${memory.id}`);
    expect(body.occurredAt).toBe('2024-05-01T04:00:00.500Z');
    const offset = await admin.store({ content: 'x', occurredAt: '2024-05-01t06:00:00+02:00' });
    expect(offset.memory.occurredAt).toBe('2024-05-01T04:00:00.000Z');
    const key = await admin.post('/v1/admin/keys', { role: 'member', expiresAt: '2100-01-01t00:00:00z' });
    expect(key.status).toBe(201);
    const { items } = (await admin.get('/v1/admin/keys')).body;
    expect(items[0].expiresAt).toBe('2100-01-01T00:00:00.000Z');
  });

  it('[A4] is accepted in the parameters and filters of a list', async () => {
    expect(await listed('createdAfter=2020-01-01t00:00:00z')).toBeGreaterThan(0);
    expect(await listed('createdBefore=2020-01-01t00:00:00z')).toBe(0);
    expect(await listed('asOf=2020-01-01t00:00:00z')).toBe(0);
    const filter = (test: object) => `filter=${encodeURIComponent(JSON.stringify({ occurredAt: test }))}`;
    expect(await listed(filter({ eq: '2024-05-01t04:00:00.500z' }))).toBe(1);
    expect(await listed(filter({ gt: '2024-05-01t04:00:00.500z' }))).toBe(0);
  });

  it('[F2] is accepted by the audit', async () => {
    expect(await auditEvents(admin, 'type=MemoryStored&from=2020-01-01t00:00:00z', position)).not.toEqual([]);
    expect(await auditEvents(admin, 'type=MemoryStored&to=2020-01-01t00:00:00z', position)).toEqual([]);
  });

  it('[A5] is accepted by a search', async () => {
    const body = { query: 'timed', threshold: 0, asOf: '2020-01-01t00:00:00z' };
    expect(await admin.post('/v1/search', body)).toMatchObject({ status: 200, body: { results: [] } });
  });
});

describe('a leap second', () => {
  it('[A1] is rejected, because computer clocks do not have it', async () => {
    const leap = '2016-12-31T23:59:60Z';
    expectInvalid(await admin.post('/v1/memories', { content: 'x', occurredAt: leap }), 'occurredAt');
    expectInvalid(await admin.get(`/v1/memories?createdAfter=${leap}`), 'createdAfter');
  });
});
