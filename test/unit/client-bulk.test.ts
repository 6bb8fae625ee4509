import { describe, expect, it } from 'vitest';
import { Memory, Stratalog, type BulkLine } from '../../packages/client/src/index.ts';
import { filterOf, placeOf } from '../../packages/client/src/memory-filters.ts';
import { cutShort, fakeFetch, problem } from '../support/fake-fetch.ts';

const line = (index: number) => `${JSON.stringify({ line: index, status: 201, id: `m${index}` })}\n`;
const answer = (...lines: readonly number[]) => new Response(lines.map(line).join(''));

/** An answer that ends in the middle of its second line. */
const cut = () => cutShort(line(1) + line(2).slice(0, 9));

/** As a server: reads the whole body before it answers. */
function bulkServer(...answers: readonly (() => Response)[]) {
  const bodies: string[] = [];
  const script = fakeFetch(...answers.map((next) => async () => next()));
  const fetch = async (input: string | URL | Request, init: RequestInit = {}) => {
    const { body = null } = init;
    bodies.push(await new Response(body).text());
    return script.fetch(input, init);
  };
  const client = new Stratalog({ url: 'http://server', fetch, retries: 2 });
  return { client, bodies, sent: script.sent };
}

async function idsOf(lines: AsyncIterable<BulkLine>): Promise<(string | undefined)[]> {
  const ids = [];
  for await (const { id } of lines) ids.push(id);
  return ids;
}

const memories = [{ content: 'a' }, { content: 'ü' }, { content: 'c' }];
const ndjson = '{"content":"a"}\n{"content":"ü"}\n{"content":"c"}\n';

describe('[J3] bulk', () => {
  it.each([
    ['an array', memories],
    ['a text', ndjson],
    ['a function', () => memories.values()],
    [
      'a function that reads a stream',
      async function* () {
        yield* memories;
      },
    ],
    ['parts of NDJSON', [ndjson.slice(0, 20), new TextEncoder().encode(ndjson.slice(20))]],
  ])('continues after a lost connection, under the same key, with %s', async (_, source) => {
    const { client, bodies, sent } = bulkServer(cut, () => answer(1, 2, 3));
    expect(await idsOf(client.memories.bulk(source))).toEqual(['m1', 'm2', 'm3']);
    expect(bodies).toEqual([ndjson, ndjson]);
    const [first, second] = sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(first).toBe(second);
    expect(sent[0]!.headers.get('content-type')).toBe('application/x-ndjson');
  });

  it('reports a lost connection if the source can be read only once', async () => {
    const { client } = bulkServer(cut, () => answer(1, 2, 3));
    const lines = client.memories.bulk(memories.values());
    expect((await lines.next()).value).toMatchObject({ id: 'm1' });
    await expect(lines.next()).rejects.toMatchObject({ name: 'ConnectionLostError' });
  });

  it('gives up after the last repetition without progress', async () => {
    const { client, sent } = bulkServer(cut);
    await expect(idsOf(client.memories.bulk(memories))).rejects.toMatchObject({
      name: 'ConnectionLostError',
    });
    // The first one made progress.
    expect(sent).toHaveLength(3);
  });

  it('refuses an answer that is no NDJSON', async () => {
    const { client, sent } = bulkServer(() => new Response('<html>\n</html>\n'));
    await expect(idsOf(client.memories.bulk(memories))).rejects.toThrow('something other than Stratalog');
    expect(sent).toHaveLength(1);
  });

  it('waits for a busy server', async () => {
    const { client, sent } = bulkServer(
      () => problem(503, 'unavailable'),
      () => answer(1, 2, 3),
    );
    expect(await idsOf(client.memories.bulk(memories))).toHaveLength(3);
    expect(sent).toHaveLength(2);
  });

  it('throws what its source throws, and does not repeat', async () => {
    const broken = new Error('the file is gone');
    const { client, bodies } = bulkServer(() => answer(1));
    const lines = client.memories.bulk(() => ({
      *[Symbol.iterator]() {
        yield { content: 'a' };
        throw broken;
      },
    }));
    await expect(lines.next()).rejects.toBe(broken);
    expect(bodies).toEqual([]);
  });
});

describe('[J3] Memory', () => {
  it('places a memory in the layer of its most specific id', () => {
    expect(placeOf({ userId: 'u', runId: 'r' })).toEqual({
      layer: 'user',
      scope: { user: 'u', session: 'r' },
    });
    expect(placeOf({ userId: 'u', agentId: 'a' })).toEqual({
      layer: 'agent',
      scope: { user: 'u', agent: 'a' },
    });
    expect(placeOf({ appId: 'p' })).toEqual({ layer: 'project', scope: { project: 'p' } });
    expect(() => placeOf({})).toThrow('name at least one of userId, agentId, runId and appId');
  });

  it('translates the filters of mem0', () => {
    expect(
      filterOf({ userId: 'u' }, { AND: [{ topic: 'food' }, { metadata: { page: { gte: 2 } } }] }),
    ).toEqual({
      and: [
        { 'scope.user': { eq: 'u' } },
        { 'metadata.topic': { eq: 'food' } },
        { 'metadata.page': { gte: 2 } },
      ],
    });
    expect(
      filterOf({}, { OR: [{ user_id: 'u' }, { agentId: '*' }], NOT: [{ categories: { in: ['x'] } }] }),
    ).toEqual({
      and: [
        { or: [{ 'scope.user': { eq: 'u' } }, { 'scope.agent': { gte: '' } }] },
        { not: { or: [{ tags: { in: ['x'] } }] } },
      ],
    });
    expect(filterOf({}, { run_id: ['a', 'b'], name: { icontains: 'x', nin: ['xy'] } })).toEqual({
      and: [
        { 'scope.session': { in: ['a', 'b'] } },
        { and: [{ 'metadata.name': { contains: 'x' } }, { not: { 'metadata.name': { in: ['xy'] } } }] },
      ],
    });
  });

  it.each([
    ['no id', {}],
    ['an id in one alternative only', { OR: [{ user_id: 'u' }, { topic: 'food' }] }],
    ['an id that is only excluded', { NOT: [{ user_id: 'u' }] }],
  ])('refuses filters with %s', (_, filters) => {
    expect(() => filterOf({}, filters)).toThrow(TypeError);
  });

  it('asks nothing of the server when the scope is missing', async () => {
    const script = fakeFetch(answer());
    const memory = new Memory({ url: 'http://server', fetch: script.fetch });
    for (const call of [
      () => memory.add('x', {}),
      () => memory.search('x', {}),
      () => memory.getAll({}),
      () => memory.deleteAll({}),
      () => memory.reset({}),
    ])
      await expect(call()).rejects.toThrow(TypeError);
    expect(script.sent).toEqual([]);
  });
});
