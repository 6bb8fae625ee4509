import { describe, expect, it } from 'vitest';
import { translateFilter } from '../../src/http/mem0/filters.ts';
import { inSteps } from '../../src/http/mem0/history.ts';
import { pageOf, pageQuery } from '../../src/http/mem0/pages.ts';
import { matchRoute, mem0Routes } from '../../src/http/mem0/routes.ts';
import { timeOf } from '../../src/http/mem0/times.ts';

describe('times of mem0', () => {
  it.each([
    ['2026-01-31', 'start', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31', 'end', '2026-01-31T23:59:59.999Z'],
    ['2026-01-31T10:00:00+02:00', 'end', '2026-01-31T08:00:00.000Z'],
    ['2026-01-31T10:00:00', 'start', '2026-01-31T10:00:00.000Z'],
    [1_700_000_000, 'start', '2023-11-14T22:13:20.000Z'],
  ] as const)('[J3] %j as the %s of a range is %s', (sent, bound, expected) => {
    expect(timeOf(sent, 'timestamp', bound)).toBe(expected);
  });

  it.each([['soon'], [''], [true], [1e15], ['2026-13-01']])('[J3] %j is none', (sent) => {
    expect(() => timeOf(sent, 'timestamp')).toThrow(/timestamp.*date/);
  });
});

describe('the users that a filter of mem0 is about', () => {
  it.each([
    [{ user_id: 'a' }, ['a'], false],
    [{ OR: [{ user_id: 'a' }, { NOT: [{ user_id: { eq: 'b' } }] }] }, ['a', 'b'], false],
    [{ user_id: { in: ['a', 'b'] } }, ['a', 'b'], false],
    [{ user_id: ['a', '*'] }, [], true],
    [{ user_id: '*' }, [], true],
    [{ user_id: { ne: 'a' } }, [], true],
    [{ user_id: null }, [], true],
    [{ run_id: 'r' }, [], false],
  ])('[J3] [I1] %j: %j, and any: %j', (filters, users, anyUser) => {
    const translated = translateFilter(filters);
    expect({ ...translated, users: [...translated.users] }).toMatchObject({
      users,
      anyUser,
      namesEntity: true,
    });
  });
});

describe('pages', () => {
  it('[J3] hold at most 500 entries and lead to all of them', async () => {
    expect(pageQuery({ page_size: '9999' })).toEqual({ page: 1, size: 500 });
    expect(pageQuery({})).toEqual({ page: 1, size: 100 });
    const items = Array.from({ length: 1_234 }, (_, index) => index);
    const seen: number[] = [];
    for (let page = 1; ; page++) {
      const { count, next, results } = await pageOf(items, { page, size: 500 }, '/list/');
      expect(count).toBe(1_234);
      seen.push(...results);
      if (next === null) break;
      expect(next).toBe(`/list/?page=${page + 1}&page_size=500`);
    }
    expect(seen).toEqual(items);
  });

  it('[J3] count no further than 10,000 entries, or than their own', async () => {
    const pageOfMany = (page: number) => {
      const items = (function* () {
        for (let item = 0; item < 30_000; item++) yield item;
      })();
      return pageOf(items, { page, size: 500 }, '/list/');
    };
    expect(await pageOfMany(1)).toMatchObject({ count: 10_000 });
    expect(await pageOfMany(50)).toMatchObject({ count: 25_001, results: { 0: 24_500 } });
    expect(await pageOfMany(60)).toMatchObject({ count: 30_000, next: null });
  });
});

describe('history', () => {
  it('[J3] has the text before and after each version, and none while the memory is deleted', () => {
    const version = (type: string, changes: Record<string, { to?: unknown }>) => ({
      revision: 0,
      type,
      at: '',
      actor: '',
      changes,
    });
    const steps = inSteps([
      version('MemoryStored', { content: { to: 'a' }, metadata: { to: { n: 1 } } }),
      version('MemoryUpdated', { metadata: { to: { n: 2 } } }),
      version('MemoryUpdated', { content: { to: 'b' } }),
      version('MemoryDeleted', { state: { to: 'deleted' } }),
      version('MemoryRestored', { state: { to: 'active' } }),
    ]);
    expect(steps.map(({ before, after, metadata }) => [before, after, metadata])).toEqual([
      [null, 'a', { n: 1 }],
      ['a', 'a', { n: 2 }],
      ['a', 'b', { n: 2 }],
      ['b', null, { n: 2 }],
      [null, 'b', { n: 2 }],
    ]);
  });
});

describe('routes', () => {
  const routes = mem0Routes();

  it.each([
    ['GET', '/v1/memories/1/', '/v1/memories/:id'],
    ['GET', '/v1/memories/1', '/v1/memories/:id'],
    ['DELETE', '/v1/memories/', '/v1/memories'],
    ['DELETE', '/v2/entities/user/a%2Fb/', '/v2/entities/:type/:name'],
    ['GET', '/v2/profiles/jobs/7/', '/v2/profiles/*'],
  ])('[J3] %s %s is %s', (method, path, expected) => {
    expect(matchRoute(routes, method, path)).toMatchObject({ route: { path: expected } });
  });

  it('[J3] name the methods of a path that another one is used for', () => {
    expect(matchRoute(routes, 'POST', '/v1/memories/1/')).toEqual({ allowed: ['GET', 'PUT', 'DELETE'] });
    expect(matchRoute(routes, 'GET', '/v1/memories//history/')).toEqual({ allowed: [] });
    expect(matchRoute(routes, 'GET', '/v2/profiles')).toEqual({ allowed: [] });
  });
});
