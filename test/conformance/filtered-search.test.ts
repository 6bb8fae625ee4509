import * as fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { matches, type FilterJson } from '../support/filter-oracle.ts';
import { newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let client: Client;
let minPosition: string;

const words = 'harbour ferry island bridge train mountain market garden winter letter music bread'.split(' ');
const memories = 400;

/** A time within a range of some weeks. */
const dayAt = (day: number, hour = 0) => new Date(Date.UTC(2023, 0, 1 + day, hour)).toISOString();

/** Deterministic across runs, and no two alike. */
function memoryOf(n: number): Record<string, unknown> {
  const word = (k: number) => words[(n * (2 * k + 1) + k * k + (n >> k)) % words.length];
  const place = [
    { layer: 'company' },
    { layer: 'team', scope: { team: `team${n % 7}` } },
    { layer: 'user', scope: { user: `user${n % 5}` } },
  ][n % 3]!;
  return {
    ...place,
    content: `${Array.from({ length: 4 + (n % 9) }, (_, k) => word(k)).join(' ')} number ${n}`,
    tags: [`tag${n % 20}`, ...(n % 50 === 0 ? ['rare'] : [])],
    spaces: n % 4 === 0 ? ['inbox'] : [],
    ...(n % 5 > 0 && { occurredAt: dayAt(n % 60, n % 24) }),
    metadata: {
      half: n % 2 === 0,
      twentieth: n % 20,
      serial: n,
      list: [n % 10, `l${n % 3}`],
      deep: { v: n % 6 },
    },
  };
}

beforeAll(async () => {
  client = (await newTenant(server)).admin;
  const lines = await client.bulk(Array.from({ length: memories }, (_, n) => memoryOf(n)));
  minPosition = lines.at(-1)!.position;
  // Embed and index everything before the first test, however busy the machine is.
  const ask = () => client.post('/v1/search', { query: 'ferry', minPosition, waitMs: 30_000 });
  await vi.waitFor(async () => expect((await ask()).status).toBe(200), { timeout: 110_000 });
});

async function search(query: string, more: object): Promise<Json[]> {
  const request = { query, threshold: 0, order: 'relevance', minPosition, waitMs: 30_000, ...more };
  const reply = await client.post('/v1/search', request);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return reply.body.results;
}

const queries = [
  'ferry to the island',
  'winter market bread',
  'a letter about music number 77',
  'nothing of it',
];
/** Every memory with its score: neither filters nor `topK` change a score. */
const everything = new Map<string, Promise<Json[]>>();

function all(query: string): Promise<Json[]> {
  const known = everything.get(query) ?? search(query, { topK: 1_000 });
  everything.set(query, known);
  return known;
}

async function expectBest(query: string, more: object, passes: (memory: Json) => boolean): Promise<void> {
  const shown = (results: Json[]) => results.map(({ memory, score }) => [memory.id, score.toFixed(9)]);
  const expected = (await all(query)).filter(({ memory }) => passes(memory)).slice(0, 10);
  expect(shown(await search(query, { topK: 10, ...more }))).toEqual(shown(expected));
}

describe('a filtered search', () => {
  it('[A5] considers every memory when there is no filter', async () => {
    expect(await all(queries[0]!)).toHaveLength(memories);
  });

  it('[A5] finds the best matches of any filter, with the same scores as without it', async () => {
    const test = fc.oneof(
      fc.boolean().map((half) => ({ 'metadata.half': { eq: half } })),
      fc.nat(21).map((n) => ({ 'metadata.twentieth': { eq: n } })),
      fc.nat(21).map((n) => ({ 'metadata.twentieth': { ne: n } })),
      fc
        .array(fc.nat(memories), { minLength: 1, maxLength: 40 })
        .map((serials) => ({ 'metadata.serial': { in: serials } })),
      fc.nat(memories).map((n) => ({ 'metadata.serial': { lt: n } })),
      fc.constantFrom(3, 'l2', 'nowhere').map((value) => ({ 'metadata.list': { contains: value } })),
      fc.nat(6).map((n) => ({ 'metadata.deep.v': { eq: n } })),
      fc.constantFrom('l1', 7).map((value) => ({ 'metadata.list.1': { eq: value } })),
      fc.constantFrom('tag3', 'rare', 'tag').map((tag) => ({ tags: { contains: tag } })),
      fc.tuple(fc.nat(60), fc.nat(23), fc.integer({ min: 1, max: 9 })).map(([day, hour, days]) => ({
        and: [
          { occurredAt: { gte: dayAt(day, hour) } },
          { occurredAt: { lt: dayAt(day + days, (hour * 5) % 24) } },
        ],
      })),
      fc.constantFrom('team', 'user').map((layer) => ({ layer: { eq: layer } })),
      fc.constantFrom('team1', 'team6').map((team) => ({ 'scope.team': { in: [team, 'team2'] } })),
    );
    const { filter } = fc.letrec<{ filter: FilterJson }>((tie) => ({
      filter: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        test,
        tie('filter').map((not) => ({ not })),
        fc.array(tie('filter'), { minLength: 1, maxLength: 3 }).map((and) => ({ and })),
        fc.array(tie('filter'), { minLength: 1, maxLength: 3 }).map((or) => ({ or })),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...queries), filter, async (query, candidate) => {
        await expectBest(query, { filter: candidate }, (memory) => matches(candidate, memory));
      }),
      { numRuns: 60 },
    );
  });

  it('[A5] [A7] finds the best matches by layer, scope, space and tag together with a filter', async () => {
    const narrow = { layers: ['team', 'company'], scope: { team: 'team4' }, tags: ['tag4', 'tag7', 'tag19'] };
    for (const query of queries) {
      await expectBest(query, narrow, ({ layer, scope, tags }) => {
        const placed = layer === 'company' || (layer === 'team' && scope.team === 'team4');
        return placed && narrow.tags.some((tag) => tags.includes(tag));
      });
      await expectBest(
        query,
        { spaces: ['inbox', 'none'], filter: { 'metadata.half': { eq: true } } },
        ({ spaces, metadata }) => spaces.includes('inbox') && metadata.half,
      );
    }
  });

  it('[A5] reflects changed values, deletes, restores and erasures', async () => {
    const own = (await newTenant(server)).admin;
    const { memory } = await own.store({ content: 'a ferry', tags: ['a'], metadata: { n: 1 } });
    const path = `/v1/memories/${memory.id}`;
    const found = async (position: string, more: object) => {
      const request = { query: 'ferry', threshold: 0, minPosition: position, ...more };
      return (await own.post('/v1/search', request)).body.results.length;
    };
    const [old, now] = [{ filter: { 'metadata.n': { eq: 1 } } }, { filter: { 'metadata.n': { eq: 2 } } }];
    const changed = await own.patch(path, { metadata: { n: 2 }, tags: [] }, { 'if-match': '*' });
    expect(await found(changed.body.position, old)).toBe(0);
    expect(await found(changed.body.position, { tags: ['a'] })).toBe(0);
    expect(await found(changed.body.position, now)).toBe(1);
    expect(await found((await own.delete(path)).body.position, now)).toBe(0);
    expect(await found((await own.post(`${path}/restore`)).body.position, now)).toBe(1);
    expect(await found((await own.delete(`${path}?mode=erase`)).body.position, now)).toBe(0);
  });
});
