import { beforeAll, describe, expect, it } from 'vitest';
import type { Client, Json, Reply } from '../support/api.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');

const idsOf = ({ body }: Reply): string[] => body.items.map(({ id }: Json) => id);
const query = (parameters: Record<string, string>) => new URLSearchParams(parameters).toString();

describe('list filters', () => {
  let admin: Client;
  let position: string;
  const memories: Record<string, Json> = {};

  beforeAll(async () => {
    ({ admin } = await newTenant(server));
    const fields: Record<string, Json> = {
      a: { layer: 'user', spaces: ['dev'], tags: ['red'], metadata: { n: 1 }, externalId: 'x/1' },
      b: {
        layer: 'team',
        scope: { team: 't' },
        spaces: ['dev', 'ops'],
        tags: ['red', 'blue'],
        metadata: { n: 2 },
      },
      c: { layer: 'company', spaces: ['ops'], tags: ['grün & blau'], metadata: { n: 3 } },
      d: { layer: 'session', scope: { session: 's' } },
    };
    for (const [name, memory] of Object.entries(fields)) {
      const answer = await admin.store({ content: name, ...memory });
      memories[name] = answer.memory;
      position = answer.position;
    }
  });

  const listed = async (parameters: string) => {
    const reply = await admin.get(`/v1/memories?minPosition=${position}&${parameters}`);
    expect(reply.status).toBe(200);
    return reply.body.items.map(({ content }: Json) => content).join('');
  };

  it.each([
    ['nothing: all, newest first', '', 'dcba'],
    ['nothing, newest first', 'order=newest', 'dcba'],
    ['nothing, oldest first', 'order=oldest', 'abcd'],
    ['a layer', 'layer=team', 'b'],
    ['one of several layers', 'layer=team&layer=user', 'ba'],
    ['a space', 'space=ops', 'cb'],
    ['one of several spaces', 'space=dev&space=ops', 'cba'],
    ['a tag', 'tag=red', 'ba'],
    ['one of several tags', query({ tag: 'grün & blau' }) + '&tag=blue', 'cb'],
    ['an externalId', query({ externalId: 'x/1' }), 'a'],
    ['a state', 'state=active', 'dcba'],
    ['a filter', query({ filter: '{"metadata.n":{"gte":2}}' }), 'cb'],
    [
      'several conditions together',
      query({ layer: 'team', space: 'dev', tag: 'blue', filter: '{"content":{"eq":"b"}}' }),
      'b',
    ],
    ['a value that no memory has', 'tag=absent', ''],
  ])('[A4] by %s', async (_, parameters, contents) => {
    expect(await listed(parameters)).toBe(contents);
  });

  it('[A4] by creation time: after and before are exclusive', async () => {
    const [b, c] = [memories['b'], memories['c']];
    const list = async (parameters: Record<string, string>) => listed(query(parameters));
    expect(await list({ createdAfter: b.createdAt })).not.toContain('b');
    expect(await list({ createdBefore: c.createdAt })).not.toContain('c');
    expect(await list({ createdAfter: new Date(Date.parse(b.createdAt) - 1).toISOString() })).toContain('b');
    expect(await list({ createdBefore: new Date(Date.parse(c.createdAt) + 1).toISOString() })).toContain('c');
    expect(await list({ createdBefore: '0001-01-01T00:00:00Z' })).toBe('');
    expect(await list({ createdAfter: '9999-01-01T00:00:00Z' })).toBe('');
  });

  it('[A4] return memories in the same form as get', async () => {
    const { body } = await admin.get(`/v1/memories?minPosition=${position}&layer=team`);
    expect(body.items).toEqual([memories['b']]);
    expect((await admin.get(`/v1/memories/${memories['b'].id}`)).body).toEqual(memories['b']);
  });

  it('[A4] follow changes of the filtered fields', async () => {
    const { memory } = await admin.store({ content: 'e', tags: ['before'] });
    const patch = await admin.patch(`/v1/memories/${memory.id}`, { tags: ['after'] }, { 'if-match': '*' });
    const list = (tag: string) => admin.get(`/v1/memories?tag=${tag}&minPosition=${patch.body.position}`);
    expect(idsOf(await list('before'))).toEqual([]);
    expect(idsOf(await list('after'))).toEqual([memory.id]);
    await admin.delete(`/v1/memories/${memory.id}?mode=erase`);
  });

  it.each([
    ['layer=planet', 'layer'],
    ['layer=', 'layer'],
    ['state=erased', 'state'],
    ['tag=', 'tag'],
    ['tag=%00', 'tag'],
    ['space=a%07', 'space'],
    ['externalId=', 'externalId'],
    ['externalId=%00', 'externalId'],
    [`externalId=${'e'.repeat(513)}`, 'externalId'],
    ['createdAfter=yesterday', 'createdAfter'],
    ['createdBefore=2024-01-01', 'createdBefore'],
    ['createdAfter=0000-01-01T00:00:00Z', 'createdAfter'],
    ['filter={', 'filter'],
    ['filter=[]', 'filter'],
    [query({ filter: '{"content":{"like":"a"}}' }), 'filter.content.like'],
    [query({ filter: '{"content":{"eq":"\\u0000"}}' }), 'filter.content.eq'],
    [query({ filter: '{"colour":{"eq":"a"}}' }), 'filter.colour'],
    ['order=random', 'order'],
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=5&limit=6', 'limit'],
    ['waitMs=30001', 'waitMs'],
    ['waitMs=-1', 'waitMs'],
    ['colour=red', 'colour'],
    ['__proto__=x', '__proto__'],
  ])('[A4] reject %s and name it', async (parameters, path) => {
    const reply = await admin.get(`/v1/memories?${parameters}`);
    expectInvalid(reply);
    expect(reply.body.errors[0].path).toMatch(new RegExp(`^${path.replaceAll('.', '\\.')}(\\.0)?$`));
  });
});

describe('list pages', () => {
  let admin: Client;
  let ids: string[];
  let position: string;

  beforeAll(async () => {
    ({ admin } = await newTenant(server));
    const lines = await admin.bulk(
      Array.from({ length: 7 }, (_, n) => ({ content: `n${n}`, tags: ['page'] })),
    );
    ids = lines
      .map(({ id }): string => id)
      .sort()
      .reverse();
    ({ position } = lines.at(-1));
  });

  const page = (cursor?: string, parameters = 'limit=3&tag=page') =>
    admin.get(
      `/v1/memories?${parameters}&minPosition=${position}${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );

  it('[A4] follow nextCursor until there is none', async () => {
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const reply = await page(cursor);
      pages.push(idsOf(reply));
      cursor = reply.body.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(pages).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)]);
  });

  it('[A4] in oldest-first order reach memories stored meanwhile', async () => {
    const oldest = 'limit=4&tag=page&order=oldest';
    const first = await page(undefined, oldest);
    const { memory, position: after } = await admin.store({ content: 'newest', tags: ['page'] });
    position = after;
    const second = await page(first.body.nextCursor, oldest);
    expect([idsOf(first), idsOf(second)]).toEqual([
      ids.toReversed().slice(0, 4),
      [...ids.toReversed().slice(4), memory.id],
    ]);
    expect(second.body.nextCursor ?? undefined).toBeUndefined();
    ({ position } = (await admin.delete(`/v1/memories/${memory.id}?mode=erase`)).body);
  });

  it('[A4] of exactly the limit have no next page', async () => {
    const reply = await page(undefined, 'limit=7&tag=page');
    expect(idsOf(reply)).toEqual(ids);
    expect(reply.body.nextCursor ?? undefined).toBeUndefined();
  });

  it('[A4] can change their size between requests', async () => {
    const first = await page(undefined, 'limit=1&tag=page');
    expect(idsOf(await page(first.body.nextCursor, 'limit=500&tag=page'))).toEqual(ids.slice(1));
  });

  it('[A4] stay stable while others store and delete', async () => {
    const first = await page();
    const { memory } = await admin.store({ content: 'newer', tags: ['page'] });
    await admin.delete(`/v1/memories/${ids[2]}`);
    const after = await admin.store({ content: 'other' });
    position = after.position;
    const second = await page(first.body.nextCursor);
    expect(idsOf(second)).toEqual(ids.slice(3, 6));
    await admin.post(`/v1/memories/${ids[2]}/restore`);
    ({ position } = (await admin.delete(`/v1/memories/${memory.id}?mode=erase`)).body);
  });

  it('[A4] hold 50 memories by default and at most 500', async () => {
    const own = await newTenant(server);
    const lines = await own.admin.bulk(Array.from({ length: 51 }, (_, n) => ({ content: `n${n}` })));
    const list = await own.admin.get(`/v1/memories?minPosition=${lines.at(-1).position}`);
    expect(list.body.items).toHaveLength(50);
    expect(list.body.nextCursor).toEqual(expect.any(String));
    expect((await own.admin.get('/v1/memories?limit=500')).body.items).toHaveLength(51);
  });

  it.each([
    ['invented', () => 'bm9wZQ'],
    ['empty', () => ''],
    ['not base64', () => '%%%'],
    ['with U+0000', () => '\u0000'],
    ['cut', (cursor: string) => cursor.slice(0, -8)],
    ['lengthened', (cursor: string) => `${cursor}AAAA`],
    ['of a history', () => 'r1'],
  ])('[A4] reject a cursor that is %s', async (_, spoil: (cursor: string) => string) => {
    const { body } = await page();
    expectProblem(await page(spoil(body.nextCursor)), 400, 'cursor-invalid', 'cursor');
  });

  it('[A4] reject a cursor used with different filters', async () => {
    const { body } = await page();
    for (const other of [
      'limit=3',
      'limit=3&tag=page&tag=more',
      'tag=page&layer=user',
      'tag=page&state=deleted',
      'tag=page&order=oldest',
    ]) {
      expectProblem(await page(body.nextCursor, other), 400, 'cursor-invalid');
    }
    const reply = await page(body.nextCursor, 'limit=3&tag=page&order=newest');
    expect(idsOf(reply)).toEqual(ids.slice(3, 6));
  });
});
