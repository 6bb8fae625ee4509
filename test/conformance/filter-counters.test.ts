import { beforeAll, describe, expect, it, vi } from 'vitest';
import { clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
const content = 'The ledger is closed at the end of each quarter';

describe('counters in a filter', () => {
  let client: Client;
  let ids: Record<string, string>;
  let position: string;

  /** Contents found by a list, which counts no access. */
  async function counted(filter: object): Promise<string[]> {
    const parameters = new URLSearchParams({ filter: JSON.stringify(filter), minPosition: position });
    const { status, body } = await client.get(`/v1/memories?${parameters.toString()}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.items.map(({ externalId }: Json) => externalId).sort();
  }

  beforeAll(async () => {
    client = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
    ids = {};
    for (const externalId of ['once', 'never', 'judged']) {
      const answer = await client.store({ externalId, content: `${content}, says ${externalId}` });
      ids[externalId] = answer.memory.id;
    }
    position = (await client.post(`/v1/memories/${ids['judged']}/feedback`, { kind: 'outdated' })).body
      .position;
    const filter = { externalId: { eq: 'once' } };
    await client.post('/v1/search', { query: content, threshold: 0, filter, minPosition: position });
    await vi.waitUntil(async () => (await counted({ accessCount: { eq: 1 } })).length > 0, 10_000);
  });

  it('[A5] [A9] accessCount is 0 before the first access', async () => {
    expect(await counted({ accessCount: { gt: 0 } })).toEqual(['once']);
    expect(await counted({ accessCount: { eq: 0 } })).toEqual(['judged', 'never']);
    expect(await counted({ accessCount: { lte: 0 } })).toEqual(['judged', 'never']);
    expect(await counted({ accessCount: { in: [1, 7, '0'] } })).toEqual(['once']);
    expect(await counted({ accessCount: { ne: 1 } })).toEqual(['judged', 'never']);
    expect(await counted({ not: { accessCount: { lt: 1 } } })).toEqual(['once']);
    expect(await counted({ accessCount: { contains: 1 } })).toEqual([]);
    expect(await counted({ accessCount: { gt: '0' } })).toEqual([]);
    const many = Array.from({ length: 1_000 }, (_, count) => count + 1);
    expect(await counted({ or: [{ accessCount: { in: many } }, { id: { eq: ids['never'] } }] })).toEqual([
      'never',
      'once',
    ]);
  });

  it('[A5] [A9] lastAccessedAt is missing before the first access', async () => {
    const { lastAccessedAt } = (await client.get(`/v1/memories/${ids['once']}`)).body;
    expect(await counted({ lastAccessedAt: { eq: lastAccessedAt } })).toEqual(['once']);
    expect(await counted({ lastAccessedAt: { gte: '2020-01-01' } })).toEqual(['once']);
    expect(await counted({ lastAccessedAt: { gt: lastAccessedAt } })).toEqual([]);
    expect(await counted({ lastAccessedAt: { ne: lastAccessedAt } })).toEqual(['judged', 'never']);
    expect(await counted({ lastAccessedAt: { in: [lastAccessedAt, 'never'] } })).toEqual(['once']);
    expect(await counted({ lastAccessedAt: { lt: 'soon' } })).toEqual([]);
  });

  it('[A5] [A9] work in a search, alone and combined with other fields', async () => {
    for (const more of [{}, { layer: { eq: 'user' } }]) {
      for (const filter of [{ accessCount: { gt: 0 } }, { lastAccessedAt: { gt: '2020-01-01' } }]) {
        const body = {
          query: content,
          threshold: 0,
          filter: { ...filter, ...more },
          minPosition: position,
          waitMs: 30_000,
        };
        const { status, body: answer } = await client.post('/v1/search', body);
        expect(status, JSON.stringify(answer)).toBe(200);
        expect(answer.results.map(({ memory }: Json) => memory.externalId)).toEqual(['once']);
      }
    }
  });

  it('[D-8] work in a multi-hop search', async () => {
    const linked = await client.put(`/v1/memories/${ids['once']}/links/related/${ids['never']}`);
    const minPosition = linked.body.position;
    const request = { query: content, filter: { accessCount: { gt: 0 } }, minPosition };
    const { status, body } = await client.post('/v1/reasoning/multi-hop', request);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.results.map(({ memory }: Json) => memory.externalId)).toEqual(['once']);
  });

  it.each([['accessCount'], ['lastAccessedAt']])(
    '[A5] %s is rejected together with asOf, because past counts are not kept',
    async (field) => {
      const filter = { and: [{ not: { [field]: { gt: 0 } } }] };
      const body = { query: content, filter, asOf: position };
      const parameters = new URLSearchParams({ filter: JSON.stringify(filter), asOf: position });
      const replies = [
        await client.post('/v1/search', body),
        await client.get(`/v1/memories?${parameters.toString()}`),
      ];
      for (const reply of replies) {
        expect(reply).toMatchObject({ status: 400, body: { code: 'validation-failed' } });
        const [error] = reply.body.errors;
        expect(error.path).toBe(`filter.and.0.not.${field}`);
        expect(error.message).toMatch(/only known for the present/);
      }
    },
  );

  it('[A3] [A5] retentionUntil exists only for deleted memories', async () => {
    const { body } = await client.delete(`/v1/memories/${ids['judged']}`);
    const { retentionUntil } = body.memory;
    const deleted = async (filter: object, more: Record<string, string> = {}) => {
      const request = {
        filter: JSON.stringify(filter),
        state: 'deleted',
        minPosition: body.position,
        ...more,
      };
      const reply = await client.get(`/v1/memories?${new URLSearchParams(request).toString()}`);
      expect(reply.status, JSON.stringify(reply.body)).toBe(200);
      return reply.body.items.map(({ externalId }: Json) => externalId);
    };
    expect(await deleted({ retentionUntil: { eq: retentionUntil } })).toEqual(['judged']);
    expect(await deleted({ retentionUntil: { gt: retentionUntil } })).toEqual([]);
    expect(await deleted({ retentionUntil: { lte: retentionUntil } }, { asOf: body.position })).toEqual([
      'judged',
    ]);
    expect(await counted({ retentionUntil: { gt: '2020-01-01' } })).toEqual([]);
    expect(await counted({ retentionUntil: { ne: retentionUntil } })).toEqual(['never', 'once']);
  });
});
