import { beforeAll, expect, it } from 'vitest';
import { clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { metricsOf } from '../support/metrics.ts';
import { testProfile } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';

/** More memories than are compared in the database when vectors are kept in memory. */
const count = 2_200;
const teams = ['red', 'blue', 'green', 'white'];
const drinks = ['tea', 'coffee', 'water', 'juice', 'milk', 'cocoa', 'cider'];

const any = { 'if-match': '*' };

const server = useServer({
  because: 'waits for figures of the whole process in /metrics',
  environment: { STRATALOG_EMBEDDER: 'deterministic' },
});

let tenant: string;
let admin: Client;
let position: string;

beforeAll(async () => {
  tenant = freshTenant();
  admin = await clientWithKey(server, { tenant, role: 'admin', user: 'ada' });
  const memories = Array.from({ length: count }, (_, n) => ({
    content: `order ${n} of ${drinks[n % 7]} and ${drinks[(n * 3 + 1) % 7]} for table ${n % 40}`,
    externalId: `order-${n}`,
    layer: 'team',
    scope: { team: teams[n % 4] },
    metadata: { number: n, drink: drinks[n % 7] },
  }));
  const lines = await admin.bulk(memories);
  expect(lines.every(({ status }) => status === 201)).toBe(true);
  ({ position } = lines.at(-1)!);
}, 300_000);

async function search(body: Record<string, unknown>, client = admin): Promise<readonly Json[]> {
  const request = { threshold: 0, topK: 20, minPosition: position, waitMs: 30_000, ...body };
  const reply = await client.post('/v1/search', request);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200, body: { warnings: [] } });
  return reply.body.results;
}

const namesOf = (results: readonly Json[]): string[] => results.map(({ memory }) => memory.externalId);

const scoresOf = (results: readonly Json[]): number[] => results.map(({ score }) => score);

async function inMemory(): Promise<number> {
  return (await metricsOf(server)).get('stratalog_vectors_in_memory') ?? 0;
}

it('[A5] a tenant that outgrows comparison in the database has the same answers from memory', async () => {
  const queries = ['tea for table 7', 'cider and water', 'order 1234'];
  const before = [];
  for (const query of queries) before.push(await search({ query }));
  if (testProfile === 'embedded') await eventually(inMemory).toBe(count);
  for (const [at, query] of queries.entries()) {
    const after = await search({ query });
    // The order of equal scores is not defined.
    expect(after[0].memory.externalId).toBe(before[at]![0].memory.externalId);
    expect(scoresOf(after)).toEqual(scoresOf(before[at]!).map((score) => expect.closeTo(score, 4)));
  }
});

it('[A5] stores, changes, deletes, restores and erasures show in the next search that waits for them', async () => {
  const found = async (query: string) => namesOf(await search({ query, topK: 3 }));
  const lemonade = 'lemonade with elderflower for the terrace';
  const stored = await admin.store({
    content: lemonade,
    externalId: 'lemonade',
    layer: 'team',
    scope: { team: 'red' },
  });
  ({ position } = stored);
  expect((await found(lemonade))[0]).toBe('lemonade');

  const path = `/v1/memories/${stored.memory.id}`;
  const ginger = 'ginger ale with lime for the balcony';
  const updated = await admin.patch(path, { content: ginger }, any);
  expect(updated, JSON.stringify(updated.body)).toMatchObject({ status: 200 });
  ({ position } = updated.body);
  const [first] = await search({ query: ginger });
  expect(first).toMatchObject({ memory: { externalId: 'lemonade', content: ginger } });

  ({ position } = (await admin.delete(path, any)).body);
  expect(await found(ginger)).not.toContain('lemonade');
  ({ position } = (await admin.post(`${path}/restore`, {}, any)).body);
  expect((await found(ginger))[0]).toBe('lemonade');
  ({ position } = (await admin.delete(`${path}?mode=erase`, any)).body);
  expect(await found(ginger)).not.toContain('lemonade');
  if (testProfile === 'embedded') await eventually(inMemory).toBe(count);
});

it('[A5] filters and visibility still return full results, however many nearer memories do not match', async () => {
  const query = 'tea for table 7';
  const half = await search({ query, filter: { 'metadata.number': { gte: count / 2 } } });
  expect(half).toHaveLength(20);
  expect(half.every(({ memory }) => memory.metadata.number >= count / 2)).toBe(true);
  const [few] = await search({ query, filter: { 'metadata.number': { eq: 1_999 } } });
  expect(few.memory.externalId).toBe('order-1999');
  const part = await search({ query, filter: { content: { contains: 'order 21' } }, topK: 1_000 });
  expect(part).toHaveLength(111);

  const blue = await clientWithKey(server, { tenant, role: 'member', user: 'bea', teams: ['blue'] });
  const seen = await search({ query, topK: 1_000 }, blue);
  expect(seen).toHaveLength(count / 4);
  expect(seen.every(({ memory }) => memory.scope.team === 'blue')).toBe(true);
});

it('[A4] finds words in another written form than the memory has', async () => {
  const texts = {
    휴가: '연차 휴가는 최소 일주일 전에 신청합니다.',
    '4421': 'رقم المستودع هو ٤٤٢١.',
    מפתח: 'המפתח נמצא אצל השומר.',
    会议: '繁體中文:會議紀錄',
    '712450': 'The invoice is over €712,450.00.',
    'lease store': 'func (s *LeaseStore) RenewLease()',
  };
  for (const content of Object.values(texts)) ({ position } = await admin.store({ content }));
  for (const [query, content] of Object.entries(texts))
    expect((await search({ query, order: 'relevance', topK: 1 }))[0].memory.content).toBe(content);
});
