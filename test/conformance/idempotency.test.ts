import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clientOf, type Client, type Json, type Reply } from '../support/api.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let tenant: Tenant;
let admin: Client;
let counter = 0;

beforeAll(async () => {
  tenant = await newTenant(server);
  ({ admin } = tenant);
});

const at = (memory: Json) => `/v1/memories/${memory.id}`;
const freshKey = () => ({ 'idempotency-key': `key-${++counter}` });
const any = { 'if-match': '*' };

async function stored(fields: Json = {}): Promise<Json> {
  return (await admin.store({ content: 'first', ...fields })).memory;
}

/** Expects the first answer again: status, ETag, Location and body bytes, marked as a replay. */
function expectReplay(again: Reply, first: Reply): void {
  expect(first.status).toBeLessThan(300);
  expect(first.headers.get('idempotency-replayed')).toBeNull();
  expect({ status: again.status, body: again.body }).toEqual({ status: first.status, body: first.body });
  expect(JSON.stringify(again.body)).toBe(JSON.stringify(first.body));
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  for (const name of ['location', 'etag', 'content-type']) {
    expect(again.headers.get(name)).toBe(first.headers.get(name));
  }
}

interface Scene {
  readonly memory: Json;
  readonly other: Json;
}

/** Every command, with a different body for those that have one. */
interface Command {
  readonly name: string;
  readonly prepare?: (scene: Scene) => Promise<unknown>;
  readonly send: (scene: Scene, headers: Record<string, string>) => Promise<Reply>;
  readonly otherBody?: (scene: Scene, headers: Record<string, string>) => Promise<Reply>;
  /** What other callers do between the first attempt and the retry. */
  readonly meanwhile: (scene: Scene) => Promise<unknown>;
}

const patchContent = ({ memory }: Scene) => admin.patch(at(memory), { content: `theirs ${++counter}` }, any);
const deleteIt = ({ memory }: Scene) => admin.delete(at(memory));

const commands: Command[] = [
  {
    name: 'a store',
    send: (_, headers) => admin.post('/v1/memories', { content: 'kept', tags: ['a'] }, headers),
    otherBody: (_, headers) => admin.post('/v1/memories', { content: 'kept', tags: ['b'] }, headers),
    meanwhile: () => stored(),
  },
  {
    name: 'a store with an externalId',
    send: ({ memory }, headers) =>
      admin.post('/v1/memories', { content: 'x', externalId: memory.id }, headers),
    otherBody: (_, headers) => admin.post('/v1/memories', { content: 'x' }, headers),
    meanwhile: () => stored(),
  },
  {
    name: 'a patch',
    send: ({ memory }, headers) =>
      admin.patch(at(memory), { content: 'mine' }, { 'if-match': '"0"', ...headers }),
    otherBody: ({ memory }, headers) => admin.patch(at(memory), { content: 'new' }, { ...any, ...headers }),
    meanwhile: patchContent,
  },
  {
    name: 'a patch of a memory deleted since',
    send: ({ memory }, headers) => admin.patch(at(memory), { content: 'mine' }, { ...any, ...headers }),
    meanwhile: deleteIt,
  },
  {
    name: 'a patch that changed nothing',
    send: ({ memory }, headers) => admin.patch(at(memory), { content: 'first' }, { ...any, ...headers }),
    otherBody: ({ memory }, headers) => admin.patch(at(memory), { content: 'new' }, { ...any, ...headers }),
    meanwhile: patchContent,
  },
  {
    name: 'a delete',
    send: ({ memory }, headers) => admin.delete(at(memory), headers),
    otherBody: ({ memory }, headers) => admin.delete(`${at(memory)}?mode=erase`, headers),
    meanwhile: ({ memory }) => admin.post(`${at(memory)}/restore`),
  },
  {
    name: 'a delete of a deleted memory',
    prepare: deleteIt,
    send: ({ memory }, headers) => admin.delete(at(memory), headers),
    meanwhile: ({ memory }) => admin.post(`${at(memory)}/restore`),
  },
  {
    name: 'a restore',
    prepare: deleteIt,
    send: ({ memory }, headers) => admin.post(`${at(memory)}/restore`, {}, headers),
    meanwhile: deleteIt,
  },
  {
    name: 'a restore of an active memory',
    send: ({ memory }, headers) => admin.post(`${at(memory)}/restore`, {}, headers),
    meanwhile: deleteIt,
  },
  {
    name: 'an erasure',
    send: ({ memory }, headers) => admin.delete(`${at(memory)}?mode=erase`, headers),
    meanwhile: () => stored(),
  },
  {
    name: 'a link',
    send: ({ memory, other }, headers) =>
      admin.put(`${at(memory)}/links/supports/${other.id}`, { confidence: 0.5 }, headers),
    otherBody: ({ memory, other }, headers) =>
      admin.put(`${at(memory)}/links/supports/${other.id}`, { confidence: 0.6 }, headers),
    meanwhile: patchContent,
  },
  {
    name: 'a link from a memory deleted since',
    send: ({ memory, other }, headers) => admin.put(`${at(memory)}/links/supports/${other.id}`, {}, headers),
    meanwhile: deleteIt,
  },
  {
    name: 'a link to a memory erased since',
    send: ({ memory, other }, headers) => admin.put(`${at(memory)}/links/supports/${other.id}`, {}, headers),
    meanwhile: ({ other }) => admin.delete(`${at(other)}?mode=erase`),
  },
  {
    name: 'a link that exists already',
    prepare: ({ memory, other }) => admin.put(`${at(memory)}/links/causes/${other.id}`),
    send: ({ memory, other }, headers) => admin.put(`${at(memory)}/links/causes/${other.id}`, {}, headers),
    meanwhile: async (scene) => {
      await patchContent(scene);
      await admin.delete(`${at(scene.memory)}/links/causes/${scene.other.id}`);
    },
  },
  {
    name: 'an unlink',
    prepare: ({ memory, other }) => admin.put(`${at(memory)}/links/requires/${other.id}`),
    send: ({ memory, other }, headers) => admin.delete(`${at(memory)}/links/requires/${other.id}`, headers),
    meanwhile: async (scene) => {
      await admin.put(`${at(scene.memory)}/links/requires/${scene.other.id}`);
      await patchContent(scene);
    },
  },
  {
    name: 'an unlink without a link',
    send: ({ memory, other }, headers) => admin.delete(`${at(memory)}/links/requires/${other.id}`, headers),
    meanwhile: async (scene) => {
      await admin.put(`${at(scene.memory)}/links/requires/${scene.other.id}`);
      await patchContent(scene);
    },
  },
  {
    name: 'feedback',
    send: ({ memory }, headers) => admin.post(`${at(memory)}/feedback`, { kind: 'outdated' }, headers),
    otherBody: ({ memory }, headers) => admin.post(`${at(memory)}/feedback`, { kind: 'inaccurate' }, headers),
    meanwhile: ({ memory }) => admin.post(`${at(memory)}/feedback`, { kind: 'duplicate' }),
  },
  {
    name: 'feedback on a memory deleted since',
    send: ({ memory }, headers) => admin.post(`${at(memory)}/feedback`, { kind: 'outdated' }, headers),
    meanwhile: deleteIt,
  },
  {
    name: 'a key',
    send: (_, headers) => admin.post('/v1/admin/keys', { role: 'member', user: 'bob' }, headers),
    otherBody: (_, headers) => admin.post('/v1/admin/keys', { role: 'admin', user: 'bob' }, headers),
    meanwhile: () => tenant.key(),
  },
];

describe.each(commands)('a retry with the same key: $name', ({ prepare, send, otherBody, meanwhile }) => {
  let scene: Scene;
  let headers: Record<string, string>;

  beforeEach(async () => {
    scene = { memory: await stored(), other: await stored() };
    headers = freshKey();
    await prepare?.(scene);
  });

  it('[A11] replays the first answer even after later writes, and writes nothing', async () => {
    const first = await send(scene, headers);
    expectReplay(await send(scene, headers), first);
    await meanwhile(scene);
    const { position } = await admin.store({ content: 'a mark' });
    expectReplay(await send(scene, headers), first);
    const marked = await admin.store({ content: 'another mark' });
    const events = await admin.get(`/v1/audit/events?after=${position}&minPosition=${marked.position}`);
    // The server may make summaries meanwhile; those events are not caused by a user.
    const commanded = events.body.items.filter(
      ({ type, cause }: Json) => cause === 'user' && type !== 'AuditRead' && type !== 'FactClaimed',
    );
    expect(commanded.map(({ type }: Json) => type)).toEqual(['MemoryStored']);
  });

  if (otherBody) {
    it('[A11] with a different body answers 422 and keeps the first answer', async () => {
      const first = await send(scene, headers);
      expectProblem(await otherBody(scene, headers), 422, 'idempotency-key-reused');
      expectReplay(await send(scene, headers), first);
    });
  }
});

describe('the access count in a replay', () => {
  const replayed = [
    'a patch',
    'a patch that changed nothing',
    'a delete',
    'a restore',
    'a link',
    'an unlink',
  ];

  /** Finds the memory by a search, and waits until the access is counted. */
  async function find(memory: Json, times: number): Promise<void> {
    const { position } = (await admin.post(`${at(memory)}/restore`)).body;
    const { tags, content: query } = memory;
    const { body } = await admin.post('/v1/search', { query, tags, threshold: 0, minPosition: position });
    expect(body.results.map((result: Json) => result.memory.id)).toEqual([memory.id]);
    const counted = async () => (await admin.get(at(memory))).body.accessCount;
    await expect.poll(counted, { timeout: 10_000 }).toBe(times);
  }

  it('[A11] of a store is absent, as in the first answer', async () => {
    const headers = freshKey();
    const send = () => admin.post('/v1/memories', { content: 'the shed is teal', tags: ['shed'] }, headers);
    const first = await send();
    await find(first.body.memory, 1);
    expectReplay(await send(), first);
  });

  it.each(commands.filter(({ name }) => replayed.includes(name)))(
    '[A11] of $name is the one in the first answer',
    async ({ prepare, send }) => {
      const scene = { memory: await stored({ tags: [`found-${++counter}`] }), other: await stored() };
      const headers = freshKey();
      await find(scene.memory, 1);
      await prepare?.(scene);
      const first = await send(scene, headers);
      expect(first.body.memory.accessCount).toBe(1);
      await find(scene.memory, 2);
      expectReplay(await send(scene, headers), first);
    },
  );
});

describe('equality of request bodies', () => {
  it('[A11] ignores key order and white space', async () => {
    const headers = { ...freshKey(), 'content-type': 'application/json' };
    const send = (raw: string) => admin.send('POST', '/v1/memories', { raw, headers });
    const first = await send('{"content":"é","metadata":{"a":1,"b":[1,2]},"tags":["x"]}');
    expectReplay(
      await send('{ "tags": ["x"],\n "metadata": {"b": [1.0, 2], "a": 1}, "content": "\\u00e9" }'),
      first,
    );
    const reordered = await send('{"content":"é","metadata":{"a":1,"b":[2,1]},"tags":["x"]}');
    expectProblem(reordered, 422, 'idempotency-key-reused');
  });
});

describe('keys created with the master key', () => {
  it('[A11] are replayed for the same request, and rejected for another tenant’s', async () => {
    const master = clientOf(server, server.masterKey);
    const headers = freshKey();
    const first = await master.post('/v1/admin/keys', { tenant: tenant.id, role: 'admin' }, headers);
    expectReplay(await master.post('/v1/admin/keys', { tenant: tenant.id, role: 'admin' }, headers), first);
    const other = await master.post('/v1/admin/keys', { tenant: `${tenant.id}x`, role: 'admin' }, headers);
    expectProblem(other, 422, 'idempotency-key-reused');
  });

  it('[A11] are revoked once', async () => {
    const { id, key } = (await admin.post('/v1/admin/keys', { role: 'member' })).body;
    const headers = freshKey();
    const first = await admin.delete(`/v1/admin/keys/${id}`, headers);
    expectReplay(await admin.delete(`/v1/admin/keys/${id}`, headers), first);
    expectProblem(await clientOf(server, key).get('/v1/memories'), 401, 'unauthenticated');
  });
});

describe('valid idempotency keys', () => {
  it.each([
    ['empty', ''],
    ['256 characters', 'k'.repeat(256)],
    ['with a space', 'a b'],
    ['with a letter beyond ASCII', 'schlüssel'],
    ['with a tab', 'a\tb'],
  ])('[A11] %s is rejected with 400 and nothing is written', async (_, key) => {
    const own = await newTenant(server);
    const reply = await own.admin.post('/v1/memories', { content: 'x' }, { 'idempotency-key': key });
    expectInvalid(reply, 'Idempotency-Key');
    expect((await own.admin.get('/v1/memories')).body.items).toEqual([]);
  });

  it.each(['!', '~', '"quoted"', 'k'.repeat(255), '../../etc'])('[A11] %s is accepted', async (key) => {
    const own = await newTenant(server);
    const headers = { 'idempotency-key': key };
    const first = await own.admin.post('/v1/memories', { content: 'x' }, headers);
    expectReplay(await own.admin.post('/v1/memories', { content: 'x' }, headers), first);
  });
});
