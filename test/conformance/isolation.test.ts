import { describe, expect, it } from 'vitest';
import { clientWithKey, freshTenant, type Client, type Json, type Reply } from '../support/api.ts';
import { newAdmin } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');

const secret = 'The acquisition of Northwind is signed on the ninth of May';

/** An answer as its reader compares it with another: without the parts that differ between any two answers. */
function distinguishable({ status, headers, body }: Reply, ...ids: string[]): string {
  const { requestId: _, ...rest } = body ?? {};
  const shown = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
  let text = JSON.stringify({ status, headers: shown, body: rest });
  for (const id of ids) text = text.replaceAll(id, 'ID');
  return text;
}

/** Every call that takes a memory id. */
const calls: [string, (client: Client, id: string, own: string) => Promise<Reply>][] = [
  ['get', (client, id) => client.get(`/v1/memories/${id}`)],
  ['get as of a time', (client, id) => client.get(`/v1/memories/${id}?asOf=${new Date().toISOString()}`)],
  ['history', (client, id) => client.get(`/v1/memories/${id}/history`)],
  ['related', (client, id) => client.get(`/v1/memories/${id}/related`)],
  ['patch', (client, id) => client.patch(`/v1/memories/${id}`, { content: 'mine now' }, { 'if-match': '*' })],
  [
    'patch of revision 0',
    (client, id) => client.patch(`/v1/memories/${id}`, { tags: [] }, { 'if-match': '"0"' }),
  ],
  ['delete', (client, id) => client.delete(`/v1/memories/${id}`)],
  ['erase', (client, id) => client.delete(`/v1/memories/${id}?mode=erase`)],
  ['restore', (client, id) => client.post(`/v1/memories/${id}/restore`)],
  ['feedback', (client, id) => client.post(`/v1/memories/${id}/feedback`, { kind: 'outdated' })],
  ['link from it', (client, id, own) => client.put(`/v1/memories/${id}/links/related/${own}`)],
  ['link to it', (client, id, own) => client.put(`/v1/memories/${own}/links/related/${id}`)],
  ['unlink from it', (client, id, own) => client.delete(`/v1/memories/${id}/links/related/${own}`)],
  ['unlink to it', (client, id, own) => client.delete(`/v1/memories/${own}/links/related/${id}`)],
];

const unknownId = '01890a5d-ac96-774b-bcce-b302099a8057';

describe('another tenant’s memory id', () => {
  it.each(calls)('[I3] %s answers byte for byte as for an unknown id', async (_, call) => {
    const [mine, theirs] = [await newAdmin(server), await newAdmin(server)];
    const { memory: own } = await mine.store({ content: 'my own note' });
    const { memory: other } = await theirs.store({ content: secret });
    const foreign = await call(mine, other.id, own.id);
    expect(foreign.status).toBe(404);
    expect(foreign.body.code).toBe('not-found');
    expect(distinguishable(foreign, other.id)).toBe(
      distinguishable(await call(mine, unknownId, own.id), unknownId),
    );
    const still = await theirs.get(`/v1/memories/${other.id}`);
    expect(still).toMatchObject({ status: 200, body: { content: secret, revision: 0, state: 'active' } });
  });

  it.each(calls)(
    '[I2] %s of a memory hidden within the tenant answers as for an unknown id',
    async (_, call) => {
      const tenant = freshTenant();
      const bob = await clientWithKey(server, { tenant, role: 'member', user: 'bob' });
      const alice = await clientWithKey(server, { tenant, role: 'member', user: 'alice' });
      const { memory: own } = await alice.store({ content: 'my own note' });
      const { memory: other } = await bob.store({ content: secret });
      const hidden = await call(alice, other.id, own.id);
      // Erasing requires the role admin, whichever memory it is.
      expect([403, 404]).toContain(hidden.status);
      expect(distinguishable(hidden, other.id)).toBe(
        distinguishable(await call(alice, unknownId, own.id), unknownId),
      );
      expect((await bob.get(`/v1/memories/${other.id}`)).status).toBe(200);
    },
  );

  it.each([['no-id'], ['..%2f..'], ['%00'], ['01890a5d-ac96-474b-bcce-b302099a8057'], ['a'.repeat(2_000)]])(
    '[I3] an invalid id answers 404 too: %s',
    async (id) => {
      const client = await newAdmin(server);
      expect(await client.get(`/v1/memories/${id}`)).toMatchObject({
        status: 404,
        body: { code: 'not-found' },
      });
    },
  );

  it('[I3] appears nowhere in list, search, figures or audit, while its owner sees it everywhere', async () => {
    const [mine, theirs] = [await newAdmin(server), await newAdmin(server)];
    await mine.store({ content: 'my own note' });
    const { memory, position: minPosition } = await theirs.store({ content: secret, tags: ['deal'] });
    await theirs.post(`/v1/memories/${memory.id}/feedback`, { kind: 'outdated' });
    const readAll = async (client: Client) => {
      const wait = `minPosition=${minPosition}&waitMs=30000`;
      const query = { query: secret, threshold: 0, topK: 1000, minPosition, waitMs: 30_000 };
      const [list, byTag, search, stats, audit, audited] = [
        await client.get(`/v1/memories?${wait}`),
        await client.get(`/v1/memories?tag=deal&${wait}`),
        await client.post('/v1/search', query),
        await client.get(`/v1/stats?${wait}`),
        await client.get(`/v1/audit/events?limit=500&${wait}`),
        await client.get(`/v1/audit/events?memory=${memory.id}&type=MemoryStored&${wait}`),
      ];
      return {
        listed: list.body.items.map(({ content }: Json) => content),
        tagged: byTag.body.items.length,
        found: search.body.results.map(({ memory: { content } }: Json) => content),
        total: stats.body.total.characters,
        inAudit: JSON.stringify(audit.body).includes(memory.id),
        audited: audited.body.items.length,
      };
    };
    expect(await readAll(theirs)).toEqual({
      listed: [secret],
      tagged: 1,
      found: [secret],
      total: secret.length,
      inAudit: true,
      audited: 1,
    });
    expect(await readAll(mine)).toEqual({
      listed: ['my own note'],
      tagged: 0,
      found: ['my own note'],
      total: 'my own note'.length,
      inAudit: false,
      audited: 0,
    });
  });

  it('[I3] two tenants can use the same externalId independently', async () => {
    const [mine, theirs] = [await newAdmin(server), await newAdmin(server)];
    await theirs.store({ content: secret, externalId: 'note-1' });
    const { memory, position } = await mine.store({ content: 'mine', externalId: 'note-1' });
    const { body } = await mine.get(`/v1/memories?externalId=note-1&minPosition=${position}&waitMs=30000`);
    expect(body.items.map(({ id }: Json) => id)).toEqual([memory.id]);
  });

  it('[I3] another caller’s search id is unknown', async () => {
    const [mine, theirs] = [await newAdmin(server), await newAdmin(server)];
    const { memory, position } = await mine.store({ content: 'mine' });
    const foreign = (await theirs.post('/v1/search', { query: 'mine' })).body.searchId;
    const own = (await mine.post('/v1/search', { query: 'mine', minPosition: position, waitMs: 30_000 })).body
      .searchId;
    const judge = (searchId: string) =>
      mine.post(`/v1/memories/${memory.id}/feedback`, { kind: 'helpful', searchId });
    expect((await judge(foreign)).status).toBe(404);
    expect((await judge('made up')).status).toBe(404);
    expect((await judge(own)).status).toBe(200);
  });
});

describe('another tenant’s writes', () => {
  const words = [
    'deploy',
    'gateway',
    'token',
    'ledger',
    'cluster',
    'invoice',
    'release',
    'audit',
    'vector',
    'lunch',
  ];
  const sentence = (number: number) =>
    `The ${words[number % 10]} of the ${words[(number * 7 + 3) % 10]} is checked against the ${words[(number * 3 + 1) % 10]} in step ${number}`;
  const queries = [
    'deploy the gateway',
    'invoice ledger',
    'which step checks the cluster against the vector',
    'xylophone',
  ];

  it('[I3] do not change scores, not even in the last digit', async () => {
    const [mine, neighbour] = [await newAdmin(server), await newAdmin(server)];
    const stored = await mine.bulk(
      Array.from({ length: 40 }, (_, number) => ({ content: sentence(number) })),
    );
    const answers = async (client: Client, minPosition: string) => {
      const all = [];
      for (const query of queries) {
        const body = { query, threshold: 0, topK: 1000, minPosition, waitMs: 30_000 };
        const { results } = (await client.post('/v1/search', body)).body;
        all.push(results.map(({ memory, score, rank }: Json) => [memory.id, score, rank]));
      }
      return all;
    };
    const before = await answers(mine, stored.at(-1)!.position);
    expect(before.map((results) => results.length)).toEqual(queries.map(() => 40));

    const rows = Array.from({ length: 300 }, (_, number) => ({
      content: `${sentence(number)}, deploy xylophone`,
    }));
    const written = await neighbour.bulk(rows);
    const { position } = written.at(-1)!;
    const theirs = await answers(neighbour, position);
    expect(theirs.map((results) => results.length)).toEqual(queries.map(() => 300));
    expect(await answers(mine, position)).toEqual(before);
  });

  it('[I3] control: a tenant’s own writes do change its scores', async () => {
    const client = await newAdmin(server);
    const { position } = await client.store({ content: sentence(1) });
    const score = async (minPosition: string) => {
      const body = {
        query: queries[0],
        threshold: 0,
        topK: 1000,
        minPosition,
        waitMs: 30_000,
        order: 'relevance',
      };
      const { results } = (await client.post('/v1/search', body)).body;
      return results.find(({ memory }: Json) => memory.content === sentence(1)).score;
    };
    const before = await score(position);
    const lines = await client.bulk(
      Array.from({ length: 300 }, (_, number) => ({ content: `deploy the gateway again, ${number}` })),
    );
    expect(await score(lines.at(-1)!.position)).not.toBe(before);
  });
});
