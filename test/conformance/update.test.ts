import { beforeAll, describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let tenant: Tenant;
let admin: Client;

beforeAll(async () => {
  tenant = await newTenant(server);
  ({ admin } = tenant);
});

const any = { 'if-match': '*' };
const at = (memory: Json) => `/v1/memories/${memory.id}`;

async function stored(fields: Json = {}): Promise<Json> {
  return (await admin.store({ content: 'first', ...fields })).memory;
}

describe('merge patch', () => {
  it('[A2] changes the given fields, increments the revision, and returns the memory, its ETag and the position', async () => {
    const memory = await stored({ spaces: ['a'], tags: ['t'], metadata: { kept: 1 }, externalId: 'patched' });
    const reply = await admin.patch(at(memory), { content: 'second' }, { 'if-match': '"0"' });

    expect(reply.status).toBe(200);
    expect(reply.headers.get('etag')).toBe('"1"');
    const { content: _, revision: __, updatedAt: ___, ...rest } = memory;
    expect(reply.body.memory).toMatchObject({ ...rest, content: 'second', revision: 1 });
    expect(reply.body.memory.updatedAt >= memory.createdAt).toBe(true);
    const got = await admin.get(at(memory));
    expect(got.body).toEqual(reply.body.memory);
    expect(got.headers.get('etag')).toBe('"1"');
    const list = await admin.get(`/v1/memories?externalId=patched&minPosition=${reply.body.position}`);
    expect(list.body.items).toEqual([reply.body.memory]);
  });

  it('[A2] merges metadata: null deletes a key at any depth, objects merge, arrays are replaced', async () => {
    const memory = await stored({
      metadata: { gone: 1, kept: true, list: [1, 2, 3], deep: { gone: 'x', kept: 'y' }, text: 'was text' },
    });
    const patch = {
      metadata: {
        gone: null,
        absent: null,
        list: [4],
        deep: { gone: null, added: { n: 1 } },
        text: { now: 'object' },
      },
    };
    const reply = await admin.patch(at(memory), patch, any);
    expect(reply.body.memory.metadata).toEqual({
      kept: true,
      list: [4],
      deep: { kept: 'y', added: { n: 1 } },
      text: { now: 'object' },
    });
  });

  it('[A2] null clears all metadata, tags, spaces or representations', async () => {
    const memory = await stored({
      metadata: { a: 1 },
      tags: ['t'],
      spaces: ['s'],
      representations: { code: 'c', formal: 'f' },
    });
    const one = await admin.patch(at(memory), { representations: { code: null, graph: 'g' } }, any);
    expect(one.body.memory.representations).toEqual({ formal: 'f', graph: 'g' });
    const patch = { metadata: null, tags: null, spaces: null, representations: null };
    const all = await admin.patch(at(memory), patch, any);
    expect(all.body.memory).toMatchObject({
      metadata: {},
      tags: [],
      spaces: [],
      representations: {},
      revision: 2,
    });
  });

  it('[A2] replaces tags and spaces', async () => {
    const memory = await stored({ tags: ['a', 'b'], spaces: ['x'] });
    const reply = await admin.patch(at(memory), { tags: ['c'], spaces: [] }, any);
    expect(reply.body.memory).toMatchObject({ tags: ['c'], spaces: [] });
  });

  it('[A2] accepts application/merge-patch+json', async () => {
    const memory = await stored();
    const headers = { ...any, 'content-type': 'application/merge-patch+json' };
    const reply = await admin.send('PATCH', at(memory), { raw: '{"content":"merged"}', headers });
    expect(reply.body.memory.content).toBe('merged');
  });

  it.each([
    ['nothing', {}],
    ['the same values', { content: 'first', tags: ['t'], metadata: { b: { c: [1] }, a: 1 } }],
    ['the deletion of a missing key', { metadata: { absent: null } }],
  ])('[A2] with %s keeps the revision', async (_, patch) => {
    const memory = await stored({ tags: ['t'], metadata: { a: 1, b: { c: [1] } } });
    const reply = await admin.patch(at(memory), patch, { 'if-match': '"0"' });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('etag')).toBe('"0"');
    expect(reply.body.memory).toEqual(memory);
    expect((await admin.get(`${at(memory)}/history`)).body.items).toHaveLength(1);
  });
});

describe('an invalid patch', () => {
  const bad: [title: string, patch: Json, ...paths: string[]][] = [
    ['the layer', { layer: 'team' }, 'layer'],
    ['the scope', { scope: { user: 'ada' } }, 'scope'],
    ['the externalId', { externalId: 'other' }, 'externalId'],
    ['the id', { id: 'x' }, 'id'],
    ['fields set by the server', { revision: 7, createdAt: '2024-01-01T00:00:00Z' }, 'revision', 'createdAt'],
    ['an unknown field', { colour: 'red' }, 'colour'],
    ['content to null', { content: null }, 'content'],
    ['content to white space', { content: ' \n' }, 'content'],
    ['content to more than the limit', { content: 'x'.repeat(1_000_001) }, 'content'],
    ['content to U+0000', { content: 'a\u0000' }, 'content'],
    ['content to a lone surrogate', { content: '\udc00' }, 'content'],
    ['tags to text', { tags: 'a' }, 'tags'],
    ['a tag to a lone surrogate', { tags: ['\ud800'] }, 'tags.0'],
    ['spaces to numbers', { spaces: [1] }, 'spaces.0'],
    ['metadata to a list', { metadata: [1] }, 'metadata'],
    ['metadata to U+0000', { metadata: { a: ['\u0000'] } }, 'metadata.a.0'],
    ['an unknown representation', { representations: { dance: 'x' } }, 'representations.dance'],
    ['a representation to a number', { representations: { code: 1 } }, 'representations.code'],
    ['a representation to a lone surrogate', { representations: { code: '\ud800' } }, 'representations.code'],
  ];

  it.each(bad)('[A2] cannot change %s', async (...row) => {
    const [, patch, ...paths] = row;
    const memory = await stored();
    expectInvalid(await admin.patch(at(memory), patch, any), ...paths);
    expect((await admin.get(at(memory))).body).toEqual(memory);
  });

  it('[A2] is rejected if the memory would grow too large for an event', async () => {
    const memory = await stored({ metadata: { a: 'a'.repeat(400_000) } });
    const long = 'b'.repeat(400_000);
    for (const [field, value] of [
      ['metadata', { b: long }],
      ['representations', { code: long }],
    ] as const) {
      const reply = await admin.patch(at(memory), { [field]: value, tags: ['t'] }, any);
      expectProblem(reply, 413, 'content-too-large');
      expect(reply.body.errors[0].path).toBe(field);
    }
    expect((await admin.get(at(memory))).body.revision).toBe(0);
  });

  it.each(['null', '[]', '"text"', '[{"op":"replace","path":"/content","value":"x"}]'])(
    '[A2] rejects %s as a patch',
    async (raw) => {
      const headers = { ...any, 'content-type': 'application/json' };
      expectInvalid(await admin.send('PATCH', at(await stored()), { raw, headers }));
    },
  );

  it('[A2] rejects malformed JSON, other media types and a body that is too large', async () => {
    const path = at(await stored());
    const json = { ...any, 'content-type': 'application/json' };
    expectProblem(await admin.send('PATCH', path, { raw: '{', headers: json }), 400, 'malformed-json');
    const jsonPatch = { ...any, 'content-type': 'application/json-patch+json' };
    expectProblem(
      await admin.send('PATCH', path, { raw: '[]', headers: jsonPatch }),
      415,
      'unsupported-media-type',
    );
    const raw = '{}'.padEnd(8_000_001, ' ');
    expectProblem(await admin.send('PATCH', path, { raw, headers: json }), 413, 'body-too-large');
  });
});

describe('If-Match', () => {
  const patched = async (match: string) =>
    admin.patch(at(await stored()), { content: 'second' }, { 'if-match': match });

  it('[A2] is required, else 428', async () => {
    const memory = await stored();
    expectProblem(await admin.patch(at(memory), { content: 'second' }), 428, 'match-required');
    expect((await admin.get(at(memory))).body.content).toBe('first');
  });

  it('[A2] * matches any revision', async () => {
    expect((await patched('*')).status).toBe(200);
  });

  it.each(['"1"', '"00"', '"abc"', '""', '"-1"', '"0.0"', 'W/"0"', 'W/"1"', '"99999999999"'])(
    '[A2] %s is another revision or weak and answers 412',
    async (match) => {
      const reply = await patched(match);
      expectProblem(reply, 412, 'revision-mismatch');
      expect(reply.body.detail).toMatch(match === '"1"' ? /names revision 1;/ : /names no revision: .* weak/);
    },
  );

  it.each(['', '0', '"0', '0"', "'0'", '"0" x', 'w/"0"', 'abc', '**', '"0"0"'])(
    '[A2] %s is not an ETag and answers 400',
    async (match) => {
      expectProblem(await patched(match), 400, 'etag-invalid', 'If-Match');
    },
  );

  it('[A2] with an outdated revision answers 412 and writes nothing', async () => {
    const memory = await stored();
    await admin.patch(at(memory), { content: 'theirs' }, { 'if-match': '"0"' });
    const late = await admin.patch(at(memory), { content: 'mine' }, { 'if-match': '"0"' });
    expectProblem(late, 412, 'revision-mismatch');
    expect((await admin.get(at(memory))).body).toMatchObject({ content: 'theirs', revision: 1 });
  });

  it('[A2] lets exactly one of 16 concurrent patches with the same ETag succeed', async () => {
    const memory = await stored();
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, n) =>
        admin.patch(at(memory), { content: `racer ${n}` }, { 'if-match': '"0"' }),
      ),
    );
    const won = replies.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const lost of replies.filter((reply) => reply !== won[0]))
      expectProblem(lost, 412, 'revision-mismatch');
    expect((await admin.get(at(memory))).body).toEqual(won[0]!.body.memory);
    expect((await admin.get(`${at(memory)}/history`)).body.items).toHaveLength(2);
  });

  it('[A2] * lets each of 16 concurrent patches succeed, one after another', async () => {
    const memory = await stored();
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, n) => admin.patch(at(memory), { metadata: { [`k${n}`]: n } }, any)),
    );
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    const revisions = replies.map(({ body }) => body.memory.revision as number).sort((a, b) => a - b);
    expect(revisions).toEqual(Array.from({ length: 16 }, (_, n) => n + 1));
    const { metadata } = (await admin.get(at(memory))).body;
    expect(metadata).toEqual(Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`k${n}`, n])));
  });
});

describe('permission to update', () => {
  it('[A2] an unknown id, another tenant’s id and a hidden id answer the same', async () => {
    const other = await newTenant(server);
    const { memory: foreign } = await other.admin.store({ content: 'theirs' });
    const hidden = await stored();
    const member = await tenant.key({ user: 'bob' });
    const answers = [];
    for (const id of ['018f0000-0000-7000-8000-000000000000', 'no-id', foreign.id, hidden.id]) {
      const reply = await member.patch(`/v1/memories/${id}`, { content: 'mine' }, any);
      expectProblem(reply, 404, 'not-found');
      const { requestId: _, ...rest } = reply.body;
      answers.push(rest);
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  it('[A2] a memory that the caller can see but not write answers 403', async () => {
    const memory = await stored({ layer: 'company' });
    const member = await tenant.key({ user: 'bob' });
    expect((await member.get(at(memory))).status).toBe(200);
    expectProblem(await member.patch(at(memory), { content: 'mine' }, any), 403, 'forbidden');
  });
});
