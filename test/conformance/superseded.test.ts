import { beforeEach, describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let tenant: Tenant;
let admin: Client;

beforeEach(async () => {
  tenant = await newTenant(server);
  ({ admin } = tenant);
});

async function stored(content: string, fields: Json = {}): Promise<Json> {
  return (await admin.store({ content, layer: 'company', ...fields })).memory;
}

async function supersedes(newer: Json, older: Json): Promise<string> {
  const reply = await admin.put(`/v1/memories/${newer.id}/links/supersedes/${older.id}`);
  expect(reply.status).toBe(200);
  return reply.body.position;
}

/** The `supersededBy` field of each result, keyed by content. */
async function marks(position: string, query: string, more: Json = {}, client = admin): Promise<Json> {
  const request = { query, threshold: 0, topK: 20, minPosition: position, ...more };
  const reply = await client.post('/v1/search', request);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return Object.fromEntries(
    reply.body.results.map(({ memory, supersededBy }: Json) => [memory.content, supersededBy]),
  );
}

describe('a superseded result', () => {
  it('[A14] names its successor, and other results have no such field', async () => {
    const [old, fresh] = [
      await stored('ferry timetable of spring'),
      await stored('ferry timetable of summer'),
    ];
    const position = await supersedes(fresh, old);
    const request = { query: 'ferry timetable', threshold: 0, minPosition: position };
    const { results } = (await admin.post('/v1/search', request)).body;
    const byId = Object.fromEntries(results.map((result: Json) => [result.memory.id, result]));
    expect(byId[old.id].supersededBy).toBe(fresh.id);
    expect(byId[fresh.id]).not.toHaveProperty('supersededBy');
  });

  it('[A14] names the newest memory of a chain, even if the search does not find it', async () => {
    const [one, two, three] = [
      await stored('ferry timetable one'),
      await stored('ferry timetable two'),
      await stored('what counts now is on the board at the pier'),
    ];
    await supersedes(two, one);
    const position = await supersedes(three, two);
    const found = await marks(position, 'ferry timetable', { topK: 3 });
    expect(found).toEqual({
      [three.content]: undefined,
      'ferry timetable one': three.id,
      'ferry timetable two': three.id,
    });
    expect(Object.keys(found)[0]).toBe(three.content);
    expect(Object.keys(await marks(position, 'ferry timetable', { topK: 1 }))).toEqual([three.content]);
  });

  it.each(['precedence', 'relevance', 'layer'])(
    '[A14] [D4] ranks behind its successor with order=%s, however well it matches',
    async (order) => {
      const old = await stored('The ferry timetable of the north pier', { layer: 'user' });
      const fresh = await stored('Boats leave the north pier every hour since May');
      await stored('The ferry company has a new logo');
      const position = await supersedes(fresh, old);
      const found = Object.keys(await marks(position, 'ferry timetable of the north pier', { order }));
      expect(found.indexOf(fresh.content)).toBe(found.indexOf(old.content) - 1);
    },
  );

  it('[A14] is left out with includeSuperseded=false', async () => {
    const old = await stored('The ferry timetable of the north pier');
    const fresh = await stored('Boats leave the north pier every hour since May');
    const position = await supersedes(fresh, old);
    const found = await marks(position, 'ferry timetable of the north pier', { includeSuperseded: false });
    expect(found).toEqual({ [fresh.content]: undefined });
  });

  it('[A14] appears without its successor if that does not match the filters', async () => {
    const old = await stored('The ferry timetable of the north pier', { tags: ['harbour'] });
    const fresh = await stored('Boats leave the north pier every hour since May');
    const position = await supersedes(fresh, old);
    const found = await marks(position, 'ferry timetable of the north pier', { tags: ['harbour'] });
    expect(found).toEqual({ [old.content]: fresh.id });
  });

  it('[A14] is marked the same way on both routes', async () => {
    const teams = [
      { org: 'search', team: 'search-api' },
      { org: 'billing', team: 'billing-core' },
    ];
    const [search, billing] = await Promise.all(
      teams.map((scope) => stored(`${scope.team} retry policies`, { layer: 'team', scope })),
    );
    const fresh = await stored('search-api retry policies since May', { layer: 'team', scope: teams[0] });
    const position = await supersedes(fresh, search);
    const question = 'What is the difference between the retry policies of search-api and billing-core?';
    for (const mode of [{}, { mode: 'standard' }]) {
      const found = await marks(position, question, mode);
      expect(found[search.content]).toBe(fresh.id);
      expect(found[billing.content]).toBeUndefined();
    }
  });

  it('[A14] ignores successors that the caller cannot see, deleted ones, and removed links', async () => {
    const member = await tenant.key({ user: 'bob' });
    const [old, hidden, fresh] = [
      await stored('ferry timetable old'),
      await stored('ferry timetable hidden', { layer: 'user' }),
      await stored('ferry timetable fresh'),
    ];
    const seen = async (position: string, client = admin) =>
      (await marks(position, 'ferry timetable', {}, client))[old.content];
    const first = await supersedes(hidden, old);
    expect(await seen(first)).toBe(hidden.id);
    expect(await seen(first, member)).toBeUndefined();
    // A chain does not continue through hidden memories either.
    const second = await supersedes(fresh, hidden);
    expect(await seen(second)).toBe(fresh.id);
    expect(await seen(second, member)).toBeUndefined();
    const gone = (await admin.delete(`/v1/memories/${fresh.id}`)).body.position;
    expect(await seen(gone)).toBe(hidden.id);
    const unlinked = await admin.delete(`/v1/memories/${hidden.id}/links/supersedes/${old.id}`);
    expect(await seen(unlinked.body.position)).toBeUndefined();
  });

  it('[A14] is not marked in a cycle, where no memory is the newest', async () => {
    const [a, b, before] = [
      await stored('ferry timetable a'),
      await stored('ferry timetable b'),
      await stored('ferry timetable before'),
    ];
    await supersedes(a, b);
    await supersedes(a, before);
    const position = await supersedes(b, a);
    expect(await marks(position, 'ferry timetable')).toEqual({
      [a.content]: undefined,
      [b.content]: undefined,
      [before.content]: undefined,
    });
  });

  it('[A14] is marked as of a position by the links and memories of that position', async () => {
    const [old, fresh, last] = [
      await stored('ferry timetable old'),
      await stored('ferry timetable fresh'),
      await stored('ferry timetable last'),
    ];
    const before = (await stored('another memory')) && (await admin.store({ content: 'x' })).position;
    const linked = await supersedes(fresh, old);
    const chained = await supersedes(last, fresh);
    const gone = (await admin.delete(`/v1/memories/${last.id}`)).body.position;
    const unlinked = (await admin.delete(`/v1/memories/${fresh.id}/links/supersedes/${old.id}`)).body
      .position;
    const asOf = async (position: string) =>
      (await marks(unlinked, 'ferry timetable', { asOf: position }))[old.content];
    expect(await asOf(before)).toBeUndefined();
    expect(await asOf(linked)).toBe(fresh.id);
    expect(await asOf(chained)).toBe(last.id);
    expect(await asOf(gone)).toBe(fresh.id);
    expect(await asOf(unlinked)).toBeUndefined();
  });
});
