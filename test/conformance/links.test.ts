import { beforeEach, describe, expect, it } from 'vitest';
import type { Client, Json, Reply } from '../support/api.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let tenant: Tenant;
let admin: Client;

beforeEach(async () => {
  tenant = await newTenant(server);
  ({ admin } = tenant);
});

const types = ['supports', 'contradicts', 'supersedes', 'requires', 'related', 'causes', 'derived_from'];
const at = (memory: Json) => `/v1/memories/${memory.id}`;
const linkPath = (source: Json, type: string, target: Json) => `${at(source)}/links/${type}/${target.id}`;

async function stored(content = 'x', fields: Json = {}): Promise<Json> {
  return (await admin.store({ content, ...fields })).memory;
}

async function linked(source: Json, type: string, target: Json, confidence?: number): Promise<string> {
  const reply = await admin.put(
    linkPath(source, type, target),
    confidence === undefined ? {} : { confidence },
  );
  expect(reply.status).toBe(200);
  return reply.body.position;
}

async function related(memory: Json, position: string, parameters = '', client = admin): Promise<Json[]> {
  const reply: Reply = await client.get(`${at(memory)}/related?minPosition=${position}&${parameters}`);
  expect(reply.status).toBe(200);
  return reply.body.items;
}

const contents = (items: Json[]) =>
  items
    .map(({ memory }): string => memory.content)
    .sort()
    .join('');

describe('a link', () => {
  it('[A13] is visible from both ends, with its confidence', async () => {
    const [a, b] = [await stored('a'), await stored('b')];
    const position = await linked(a, 'supports', b, 0.75);
    const link = { type: 'supports', confidence: 0.75, depth: 1 };
    expect(await related(a, position)).toEqual([{ ...link, direction: 'outgoing', memory: b, via: a.id }]);
    expect(await related(b, position)).toEqual([{ ...link, direction: 'incoming', memory: a, via: b.id }]);
  });

  it('[A13] returns the source with its ETag and does not change its revision', async () => {
    const [a, b] = [await stored('a'), await stored('b')];
    const reply = await admin.put(linkPath(a, 'related', b));
    expect(reply.status).toBe(200);
    expect(reply.body.memory).toEqual(a);
    expect(reply.headers.get('etag')).toBe('"0"');
    expect((await admin.get(at(a))).body).toEqual(a);
    expect((await admin.get(at(b))).body).toEqual(b);
    expect((await admin.get(`${at(a)}/history`)).body.items).toHaveLength(1);
    const patch = await admin.patch(at(a), { content: 'a2' }, { 'if-match': '"0"' });
    expect(patch.body.memory.revision).toBe(1);
  });

  it('[A13] set again replaces its confidence, and an identical link writes nothing', async () => {
    const [a, b] = [await stored('a'), await stored('b')];
    await linked(a, 'causes', b, 0.2);
    await linked(a, 'causes', b, 0.2);
    const position = await linked(a, 'causes', b, 0);
    expect(await related(a, position)).toMatchObject([{ type: 'causes', confidence: 0 }]);
    const events = await admin.get(`/v1/audit/events?type=MemoriesLinked&minPosition=${position}`);
    expect(events.body.items).toHaveLength(2);
  });

  it('[A13] has confidence 1 by default, with or without a body', async () => {
    const [a, b, c] = [await stored('a'), await stored('b'), await stored('c')];
    await linked(a, 'related', b);
    const reply = await admin.send('PUT', linkPath(a, 'related', c));
    const items = await related(a, reply.body.position);
    expect(items.map(({ confidence }) => confidence)).toEqual([1, 1]);
  });

  it.each(types)('[A13] can be of the type %s, and is found by it', async (type) => {
    const [a, b] = [await stored('a'), await stored('b')];
    const position = await linked(a, type, b);
    const others = types
      .filter((other) => other !== type)
      .map((other) => `types=${other}`)
      .join('&');
    expect(await related(a, position, `types=${type}`)).toMatchObject([{ type, memory: { id: b.id } }]);
    expect(await related(b, position, `types=${type}`)).toMatchObject([{ type, memory: { id: a.id } }]);
    expect(await related(a, position, others)).toEqual([]);
  });

  it('[A13] is independent for each type and direction between two memories', async () => {
    const [a, b] = [await stored('a'), await stored('b')];
    await linked(a, 'supports', b, 0.9);
    await linked(a, 'requires', b, 0.1);
    await linked(b, 'supports', a, 0.5);
    const reply = await admin.delete(linkPath(a, 'supports', b));
    const position = reply.body.position;
    expect(await related(a, position, 'types=supports')).toMatchObject([
      { direction: 'incoming', confidence: 0.5 },
    ]);
    expect(await related(a, position, 'types=requires')).toMatchObject([
      { direction: 'outgoing', confidence: 0.1 },
    ]);
    // The highest confidence comes first, also further away, by the path that was found first.
    const both = [
      { type: 'supports', direction: 'incoming', memory: { id: b.id }, via: a.id },
      { type: 'requires', direction: 'outgoing', memory: { id: b.id }, via: a.id },
    ];
    expect(await related(a, position)).toMatchObject(both);
    const start = await stored('start');
    const from = await linked(start, 'related', a);
    expect(await related(start, from, 'depth=5')).toMatchObject([{ depth: 1 }, ...both]);
  });

  it('[A13] is removed by unlink, which can be repeated', async () => {
    const [a, b] = [await stored('a'), await stored('b')];
    await linked(a, 'related', b);
    for (let round = 0; round < 2; round++) {
      const reply = await admin.delete(linkPath(a, 'related', b));
      expect(reply.status).toBe(200);
      expect(reply.body.memory).toEqual(a);
      expect(await related(a, reply.body.position)).toEqual([]);
      expect(await related(b, reply.body.position)).toEqual([]);
    }
    expect(await related(b, await linked(a, 'related', b, 0.4))).toMatchObject([{ confidence: 0.4 }]);
  });

  it('[A13] is made by each of 16 concurrent requests from one memory', async () => {
    const source = await stored('source');
    const targets = await Promise.all(Array.from({ length: 16 }, (_, n) => stored(`target ${n}`)));
    const replies = await Promise.all(
      targets.map((target) => admin.put(linkPath(source, 'related', target))),
    );
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    const { position } = await admin.store({ content: 'after' });
    expect(await related(source, position)).toHaveLength(16);
  });
});

describe('an invalid link', () => {
  it('[A13] to the memory itself answers 400', async () => {
    const a = await stored('a');
    expectInvalid(await admin.put(linkPath(a, 'related', a)));
    expectInvalid(await admin.delete(linkPath(a, 'related', a)));
  });

  it('[A13] of an unknown type, confidence or field answers 400', async () => {
    const [a, b] = [await stored('a'), await stored('b')];
    expectInvalid(await admin.put(linkPath(a, 'likes', b)), 'type');
    for (const confidence of [-0.1, 1.1, '1', null, [1]]) {
      expectInvalid(await admin.put(linkPath(a, 'related', b), { confidence }), 'confidence');
    }
    expectInvalid(await admin.put(linkPath(a, 'related', b), { weight: 1 }), 'weight');
    const { position } = await admin.store({ content: 'after' });
    expect(await related(a, position)).toEqual([]);
  });

  it('[A13] from or to a memory that the caller cannot see answers 404, as for an unknown one', async () => {
    const member = await tenant.key({ user: 'bob' });
    const { memory: own } = await member.store({ content: 'own' });
    const hidden = await stored('hidden');
    const { memory: foreign } = await (await newTenant(server)).admin.store({ content: 'foreign' });
    const bodies = [];
    for (const target of [hidden, foreign, { id: '018f0000-0000-7000-8000-000000000000' }, { id: 'no-id' }]) {
      for (const path of [linkPath(own, 'related', target), linkPath(target, 'related', own)]) {
        for (const reply of [await member.put(path), await member.delete(path)]) {
          expectProblem(reply, 404, 'not-found');
          const { requestId: _, ...body } = reply.body;
          bodies.push(body);
        }
      }
    }
    for (const body of bodies) expect(body).toEqual(bodies[0]);
  });

  it('[A13] from a memory that the caller can see but not write answers 403', async () => {
    const member = await tenant.key({ user: 'bob' });
    const { memory: own } = await member.store({ content: 'own' });
    const company = await stored('ours', { layer: 'company' });
    expectProblem(await member.put(linkPath(company, 'related', own)), 403, 'forbidden');
    expect((await member.put(linkPath(own, 'related', company))).status).toBe(200);
  });
});

describe('related memories', () => {
  /** a -> b -> … -> g, with links in alternating directions. */
  async function chain(): Promise<{ memories: Json[]; position: string }> {
    const memories = await Promise.all('abcdefg'.split('').map((content) => stored(content)));
    let position = '';
    for (const [n, memory] of memories.slice(1).entries()) {
      const before = memories[n]!;
      position = await (n % 2 === 0 ? linked(before, 'related', memory) : linked(memory, 'related', before));
    }
    return { memories, position };
  }

  it('[A13] are followed in both directions up to the depth, 1 by default', async () => {
    const { memories, position } = await chain();
    const seen = async (parameters: string) => contents(await related(memories[0], position, parameters));
    expect(await seen('')).toBe('b');
    expect(await seen('depth=1')).toBe('b');
    expect(await seen('depth=3')).toBe('bcd');
    expect(await seen('depth=5')).toBe('bcdef');
    expect(contents(await related(memories[3], position, 'depth=2'))).toBe('bcef');
    const items = await related(memories[0], position, 'depth=5');
    expect(items.map(({ depth, direction, via }) => [depth, direction, via])).toEqual([
      [1, 'outgoing', memories[0].id],
      [2, 'incoming', memories[1].id],
      [3, 'outgoing', memories[2].id],
      [4, 'incoming', memories[3].id],
      [5, 'outgoing', memories[4].id],
    ]);
  });

  it('[A13] are found once in a cycle, by the shortest path', async () => {
    const [a, b, c] = [await stored('a'), await stored('b'), await stored('c')];
    await linked(a, 'causes', b);
    await linked(b, 'causes', c);
    const position = await linked(c, 'causes', a);
    const items = await related(a, position, 'depth=5');
    expect(contents(items)).toBe('bc');
    expect(items.map(({ depth }) => depth)).toEqual([1, 1]);
  });

  it('[A13] are limited to the requested link types', async () => {
    const [a, b, c, d] = [await stored('a'), await stored('b'), await stored('c'), await stored('d')];
    await linked(a, 'causes', b);
    await linked(b, 'supports', c);
    const position = await linked(b, 'causes', d);
    expect(contents(await related(a, position, 'depth=5&types=causes'))).toBe('bd');
    expect(contents(await related(a, position, 'depth=5&types=causes&types=supports'))).toBe('bcd');
    expect(contents(await related(a, position, 'depth=5&types=causes,supports'))).toBe('bcd');
    expect(contents(await related(a, position, 'depth=5&types=supports'))).toBe('');
  });

  it('[A13] exclude memories that the caller cannot see, and paths through them', async () => {
    const member = await tenant.key({ user: 'bob' });
    const [a, c] = [await stored('a', { layer: 'company' }), await stored('c', { layer: 'company' })];
    const hidden = await stored('h');
    const near = await stored('n', { layer: 'company' });
    await linked(a, 'related', hidden);
    await linked(hidden, 'related', c);
    const position = await linked(near, 'related', a);
    expect(contents(await related(a, position, 'depth=5'))).toBe('chn');
    expect(contents(await related(a, position, 'depth=5', member))).toBe('n');
  });

  it('[A13] exclude deleted memories and paths through them until they are restored', async () => {
    const [a, b, c] = [await stored('a'), await stored('b'), await stored('c')];
    await linked(a, 'related', b);
    await linked(b, 'related', c);
    const gone = (await admin.delete(at(b))).body.position;
    expect(contents(await related(a, gone, 'depth=5'))).toBe('');
    const back = (await admin.post(`${at(b)}/restore`)).body.position;
    expect(contents(await related(a, back, 'depth=5'))).toBe('bc');
  });

  it('[A13] are limited to 500, and the answer says that there are more', async () => {
    const a = await stored('a');
    const others = await admin.bulk(Array.from({ length: 501 }, (_, n) => ({ content: `b${n}` })));
    // Linked from the other side, so that each memory has few links.
    const link = (from: number, to: number) =>
      Promise.all(others.slice(from, to).map((other) => linked(other, 'related', a)));
    for (let from = 0; from < 500; from += 20) await link(from, from + 20);
    const answer = async (position: string, depth = 1) =>
      (await admin.get(`${at(a)}/related?depth=${depth}&minPosition=${position}`)).body;
    const { position } = await admin.store({ content: 'a mark' });
    const whole = await answer(position);
    expect(whole.items).toHaveLength(500);
    expect(whole).not.toHaveProperty('truncated');
    expect(await answer(position, 2)).not.toHaveProperty('truncated');
    // One hop further than the memories that fill the answer.
    const further = await linked(others[0], 'related', others[500]);
    expect(await answer(further)).not.toHaveProperty('truncated');
    expect(await answer(further, 2)).toMatchObject({ truncated: true, items: { length: 500 } });
    expect(await answer((await link(500, 501))[0]!)).toMatchObject({
      truncated: true,
      items: { length: 500 },
    });
  });

  it('[A13] require a depth of 1 to 5 and known types', async () => {
    const a = await stored('a');
    for (const depth of ['0', '6', '-1', '1.5', 'deep']) {
      expectInvalid(await admin.get(`${at(a)}/related?depth=${depth}`), 'depth');
    }
    expectInvalid(await admin.get(`${at(a)}/related?types=likes`));
    expectInvalid(await admin.get(`${at(a)}/related?types=`));
    expectInvalid(await admin.get(`${at(a)}/related?types=causes,`));
    expectInvalid(await admin.get(`${at(a)}/related?kind=x`), 'kind');
  });
});
