import { beforeAll, describe, expect, it } from 'vitest';
import { clientWithKey, freshTenant, onBehalfOf, type Client, type Json } from '../support/api.ts';
import type { Scope } from '../../src/domain/layers.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let minPosition: string;
const ids: Record<string, string> = {};
const callers: Record<string, Client> = {};

/** Where each memory lives. Some have identifiers beyond that of their layer, which place them but grant no access. */
const places = {
  company: { layer: 'company', scope: {} },
  'org a': { layer: 'org', scope: { org: 'a' } },
  'org b': { layer: 'org', scope: { org: 'b' } },
  'team a': { layer: 'team', scope: { team: 'a', org: 'a' } },
  'team b': { layer: 'team', scope: { team: 'b', org: 'a' } },
  'project a': { layer: 'project', scope: { project: 'a', team: 'b' } },
  'project b': { layer: 'project', scope: { project: 'b', team: 'a', user: 'alice' } },
  alice: { layer: 'user', scope: { user: 'alice' } },
  bob: { layer: 'user', scope: { user: 'bob', team: 'a', org: 'a' } },
  'session of alice': { layer: 'session', scope: { session: 's1', user: 'alice' } },
  'session of bob': { layer: 'session', scope: { session: 's2', user: 'bob' } },
  'agent of alice': { layer: 'agent', scope: { agent: 'x', user: 'alice' } },
  'agent of bob': { layer: 'agent', scope: { agent: 'y', user: 'bob' } },
  'agent of nobody': { layer: 'agent', scope: { agent: 'z', user: 'nobody' } },
  'agent alone': { layer: 'agent', scope: { agent: 'z' } },
} as const;

type Place = keyof typeof places;
const all = Object.keys(places) as Place[];
const aliceOwn: Place[] = ['alice', 'session of alice', 'agent of alice'];
const shared: Place[] = ['company', 'org a', 'org b', 'team a', 'team b', 'project a', 'project b'];

interface Caller {
  readonly key: Record<string, unknown> & { role: string };
  /** Whom an agent acts for. */
  readonly onBehalfOf?: string;
  readonly sees: readonly Place[];
  readonly writes: readonly Place[];
}

const agent = {
  role: 'agent',
  agents: ['z'],
  orgs: ['a'],
  teams: ['a'],
  projects: ['b'],
  users: ['al*'],
};

const keys: Record<string, Caller> = {
  'a member with memberships': {
    key: { role: 'member', user: 'alice', orgs: ['a'], teams: ['a'], projects: ['a'] },
    sees: ['company', 'org a', 'team a', 'project a', ...aliceOwn],
    writes: ['org a', 'team a', 'project a', ...aliceOwn],
  },
  'a member with a user alone': {
    key: { role: 'member', user: 'alice' },
    sees: ['company', ...aliceOwn],
    writes: aliceOwn,
  },
  'a member of an org alone': {
    key: { role: 'member', orgs: ['a'] },
    sees: ['company', 'org a'],
    writes: ['org a'],
  },
  'a key with a tenant and nothing else': { key: { role: 'member' }, sees: ['company'], writes: [] },
  'a key of a session': {
    key: { role: 'member', sessions: ['s2'] },
    sees: ['company', 'session of bob'],
    writes: ['session of bob'],
  },
  'a key of two agents': {
    key: { role: 'member', agents: ['y', 'z'] },
    sees: ['company', 'agent of bob', 'agent of nobody', 'agent alone'],
    writes: ['agent of bob', 'agent of nobody', 'agent alone'],
  },
  'an agent': {
    key: agent,
    sees: ['company', 'org a', 'team a', 'agent alone'],
    writes: ['org a', 'team a', 'agent alone'],
  },
  'an agent on behalf of alice': {
    key: agent,
    onBehalfOf: 'alice',
    sees: ['company', 'org a', 'team a', 'project b', 'agent alone', ...aliceOwn],
    writes: ['org a', 'team a', 'project b', 'agent alone', ...aliceOwn],
  },
  'a reader': { key: { role: 'reader' }, sees: shared, writes: [] },
  'an auditor': { key: { role: 'auditor', user: 'alice' }, sees: all, writes: [] },
  'an operator': { key: { role: 'operator', user: 'alice', orgs: ['a'] }, sees: [], writes: [] },
  'an admin': { key: { role: 'admin', user: 'root' }, sees: all, writes: all },
};

const content = (place: string) => `The handbook of ${place} says that lunch is at noon`;

beforeAll(async () => {
  const tenant = freshTenant();
  const admin = await clientWithKey(server, { tenant, role: 'admin', user: 'root' });
  for (const [name, { key, onBehalfOf: user }] of Object.entries(keys)) {
    const client = await clientWithKey(server, { tenant, ...key });
    callers[name] = user === undefined ? client : onBehalfOf(server, client, user);
  }
  for (const place of all) {
    // Anyone with a user would store it as a memory of this user.
    const by = place === 'agent alone' ? callers['an agent']! : admin;
    const { memory, position } = await by.store({
      ...places[place],
      externalId: place,
      content: content(place),
    });
    ids[place] = memory.id;
    minPosition = position;
  }
});

async function listed(client: Client, query: Record<string, string> = {}): Promise<string[]> {
  const parameters = new URLSearchParams({ minPosition, waitMs: '30000', limit: '500', ...query });
  const { status, body } = await client.get(`/v1/memories?${parameters.toString()}`);
  expect(status).toBe(200);
  return body.items.map(({ externalId }: Json) => externalId).sort();
}

async function searched(client: Client, body: Record<string, unknown> = {}): Promise<string[]> {
  const request = { query: 'when is lunch', threshold: 0, topK: 1000, minPosition, waitMs: 30_000, ...body };
  const reply = await client.post('/v1/search', request);
  expect(reply.status).toBe(200);
  return reply.body.results.map(({ memory }: Json) => memory.externalId).sort();
}

describe.each(Object.entries(keys))('%s', (name, { key, onBehalfOf: user, sees, writes }) => {
  it('[I2] sees exactly what it may see in list, search, get, history and related', async () => {
    const client = callers[name]!;
    expect(await listed(client)).toEqual([...sees].sort());
    expect(await searched(client)).toEqual([...sees].sort());
    const readEach = (path: string) =>
      Promise.all(all.map(async (place) => (await client.get(`/v1/memories/${ids[place]}${path}`)).status));
    const expected = all.map((place) => (sees.includes(place) ? 200 : 404));
    for (const path of ['', '/history', '/related'])
      expect([path, ...(await readEach(path))]).toEqual([path, ...expected]);
  });

  it('[A7] finds exactly what it may see in each layer', async () => {
    const ofLayer = async (layer: string) => {
      const expected = sees.filter((place) => places[place].layer === layer).sort();
      expect([layer, await searched(callers[name]!, { layers: [layer] })]).toEqual([layer, expected]);
      expect([layer, await listed(callers[name]!, { layer })]).toEqual([layer, expected]);
    };
    await Promise.all([...new Set(Object.values(places).map(({ layer }) => layer))].map(ofLayer));
  });

  it('[I2] stores only where it may write', async () => {
    const client = callers[name]!;
    for (const place of all) {
      const reply = await client.post('/v1/memories', {
        ...places[place],
        content: 'a note that is taken back at once',
      });
      const { scope }: { scope: Scope } = places[place];
      const isOwn = place === 'agent alone' && key['user'] !== undefined && writes.length > 0;
      // An agent is told that it named a user that it does not act for.
      const isMistaken = key.role === 'agent' && scope.user !== undefined && scope.user !== user;
      const refusal = isMistaken ? 400 : 403;
      expect([place, reply.status]).toEqual([place, isOwn || writes.includes(place) ? 201 : refusal]);
      if (reply.status === 201) {
        const deleted = await client.delete(`/v1/memories/${reply.body.memory.id}`);
        minPosition = deleted.body.position;
      } else expect(reply.body.code).toBe(isMistaken ? 'validation-failed' : 'forbidden');
    }
  });

  it('[I2] changes what it may write; what it only sees answers 403, what it cannot see 404', async () => {
    const client = callers[name]!;
    for (const place of all) {
      const expected = writes.includes(place) ? 200 : sees.includes(place) ? 403 : 404;
      const path = `/v1/memories/${ids[place]}`;
      const patched = await client.patch(path, { metadata: { by: name } }, { 'if-match': '*' });
      expect([place, 'patch', patched.status]).toEqual([place, 'patch', expected]);
      const restored = await client.post(`${path}/restore`);
      expect([place, 'restore', restored.status]).toEqual([place, 'restore', expected]);
      if (expected === 200) continue;
      const deleted = await client.delete(path);
      expect([place, 'delete', deleted.status]).toEqual([place, 'delete', expected]);
      const linked = await client.put(`${path}/links/related/${ids['company']}`);
      if (place !== 'company') expect([place, 'link', linked.status]).toEqual([place, 'link', expected]);
    }
  });

  it('[A3] erases only as an admin', async () => {
    const admin = callers['an admin']!;
    const { memory } = await admin.store({ layer: 'company', content: 'to be erased' });
    const erased = await callers[name]!.delete(`/v1/memories/${memory.id}?mode=erase`);
    expect(erased.status).toBe(name === 'an admin' ? 200 : 403);
    const gone = await admin.delete(`/v1/memories/${memory.id}?mode=erase`);
    minPosition = gone.body.position;
  });
});

describe('scope in a request', () => {
  const narrowed = (name: string, scope: Record<string, string>) => searched(callers[name]!, { scope });
  const alice = 'a member with memberships';

  it('[I2] finds memories with the value, and shared ones of more general layers', async () => {
    expect(await narrowed('an admin', { team: 'a' })).toEqual(
      ['company', 'org a', 'org b', 'team a', 'project b', 'bob'].sort(),
    );
    expect(await narrowed('an admin', { team: 'a', org: 'b' })).toEqual(['company', 'org b']);
    expect(await narrowed('an admin', { user: 'alice' })).toEqual([...shared, ...aliceOwn].sort());
    expect(await narrowed('an admin', { team: 'nobody knows it' })).not.toContain('team a');
  });

  it('[I2] finds personal memories without the value only for the person it names', async () => {
    expect(await narrowed('an admin', { project: 'a' })).toEqual(
      ['company', 'org a', 'org b', 'project a', 'team a', 'team b'].sort(),
    );
    expect(await narrowed('an admin', { project: 'a', user: 'alice' })).toEqual(
      ['alice', 'company', 'org a', 'org b', 'project a', 'team a', 'team b'].sort(),
    );
    expect(await narrowed('an admin', { agent: 'x' })).toEqual([...shared, 'agent of alice'].sort());
  });

  it('[I2] the company has no effect on results', async () => {
    const { body } = await callers['an admin']!.get(`/v1/memories/${ids['company']}`);
    expect(await narrowed('an admin', { company: body.scope.company })).toEqual([...all].sort());
  });

  it('[I2] never widens what the caller sees', async () => {
    const own = [...keys[alice]!.sees];
    expect(await narrowed(alice, {})).toEqual(own.sort());
    expect(await narrowed(alice, { user: 'bob' })).toEqual(['company', 'org a', 'project a', 'team a']);
    expect(await narrowed(alice, { team: 'b' })).toEqual(['company', 'org a', 'project a']);
    expect(await narrowed(alice, { org: 'b' })).not.toContain('org b');
    expect(await narrowed(alice, { project: 'b' })).not.toContain('project b');
    expect(await narrowed(alice, { session: 's2' })).not.toContain('session of bob');
    expect(await narrowed(alice, { agent: 'y' })).not.toContain('agent of bob');
    expect(await narrowed('an operator', { user: 'alice' })).toEqual([]);
  });

  it('[A7] a layer that the caller cannot see returns nothing', async () => {
    expect(await searched(callers['a reader']!, { layers: ['user', 'session', 'agent'] })).toEqual([]);
    expect(await searched(callers['an operator']!, { layers: ['company'] })).toEqual([]);
  });

  it('[I2] a filter on the scope does not widen it either', async () => {
    const filter = { or: [{ 'scope.user': { eq: 'bob' } }, { not: { 'scope.user': { eq: 'bob' } } }] };
    expect(await searched(callers[alice]!, { filter })).toEqual([...keys[alice]!.sees].sort());
    expect(await listed(callers[alice]!, { filter: JSON.stringify(filter) })).toEqual(
      [...keys[alice]!.sees].sort(),
    );
  });
});

describe('identifiers outside the layer of a memory', () => {
  it('[D1] grant nothing: another person’s memory placed in my team stays invisible', async () => {
    const alice = callers['a member with memberships']!;
    expect(places.bob.scope.team).toBe('a');
    expect((await alice.get(`/v1/memories/${ids['bob']}`)).status).toBe(404);
    expect(places['project b'].scope).toMatchObject({ team: 'a', user: 'alice' });
    expect((await alice.get(`/v1/memories/${ids['project b']}`)).status).toBe(404);
    expect((await alice.get(`/v1/memories/${ids['project a']}`)).status).toBe(200);
  });
});
