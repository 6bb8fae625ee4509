import { beforeAll, describe, expect, it } from 'vitest';
import { clientOf, clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer();
let client: Client;

beforeAll(async () => {
  client = await clientWithKey(server, { tenant: freshTenant(), role: 'member', user: 'ada' });
  await client.store({ content: 'The build runs on two cores' });
});

const query = 'build cores';

/** What is wrong with the body, the body, and the field that the problem must name. */
const wrong: [string, Record<string, unknown>, string][] = [
  ['no query', {}, 'query'],
  ['an empty query', { query: '' }, 'query'],
  ['a blank query', { query: ' \t\n\u3000' }, 'query'],
  ['a query that is a number', { query: 7 }, 'query'],
  ['a query that is null', { query: null }, 'query'],
  ['a query with U+0000', { query: 'a\u0000b' }, 'query'],
  ['a query with a lone surrogate', { query: 'a\ud800b' }, 'query'],
  ['a query beyond the limit', { query: 'q'.repeat(20_001) }, 'query'],
  ['no layer in layers', { query, layers: [] }, 'layers'],
  ['layers that are not a list', { query, layers: 'user' }, 'layers'],
  ['an unknown layer', { query, layers: ['user', 'planet'] }, 'layers.1'],
  ['no space in spaces', { query, spaces: [] }, 'spaces'],
  ['an empty space', { query, spaces: ['a', ''] }, 'spaces.1'],
  ['a space that is a number', { query, spaces: [3] }, 'spaces.0'],
  ['no tag in tags', { query, tags: [] }, 'tags'],
  ['tags that are not a list', { query, tags: 'x' }, 'tags'],
  ['a tag with a control character', { query, tags: ['a\u0007'] }, 'tags.0'],
  ['topK 0', { query, topK: 0 }, 'topK'],
  ['topK 1001', { query, topK: 1001 }, 'topK'],
  ['topK -1', { query, topK: -1 }, 'topK'],
  ['topK with a fraction', { query, topK: 1.5 }, 'topK'],
  ['topK as text', { query, topK: '10' }, 'topK'],
  ['topK null', { query, topK: null }, 'topK'],
  ['a threshold below 0', { query, threshold: -0.0001 }, 'threshold'],
  ['a threshold above 1', { query, threshold: 1.0001 }, 'threshold'],
  ['a threshold as text', { query, threshold: '0.7' }, 'threshold'],
  ['an unknown order', { query, order: 'newest' }, 'order'],
  ['an unknown mode', { query, mode: 'fast' }, 'mode'],
  ['asOf, null', { query, asOf: null }, 'asOf'],
  ['a filter that is text', { query, filter: 'x' }, 'filter'],
  ['a filter that is a list', { query, filter: [] }, 'filter'],
  ['a scope that is text', { query, scope: 'ada' }, 'scope'],
  ['an unknown identifier in scope', { query, scope: { planet: 'x' } }, 'scope.planet'],
  ['an empty identifier in scope', { query, scope: { team: '' } }, 'scope.team'],
  ['another company in scope', { query, scope: { company: 'somebody_else' } }, 'scope.company'],
  ['minPosition as a number', { query, minPosition: 5 }, 'minPosition'],
  ['waitMs below 0', { query, waitMs: -1 }, 'waitMs'],
  ['waitMs above 30,000', { query, waitMs: 30_001 }, 'waitMs'],
  ['waitMs as text', { query, waitMs: '100' }, 'waitMs'],
  ['an empty sessionId', { query, sessionId: '' }, 'sessionId'],
  ['a sessionId that is a number', { query, sessionId: 4 }, 'sessionId'],
  ['an unknown field', { query, topk: 3 }, 'topk'],
  ['the tenant in the body', { query, tenant: 'other' }, 'tenant'],
];

describe('invalid search requests', () => {
  it.each(wrong)('[A5] rejects %s with a 400 that names the field', async (_, body, path) => {
    const reply = await client.post('/v1/search', body);
    expect(reply.status).toBe(400);
    expect(reply.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(reply.body).toMatchObject({ status: 400, code: 'validation-failed' });
    expect(reply.body.errors.map((error: { path: string }) => error.path)).toContain(path);
    expect(reply.body.detail).toContain(path);
  });

  it('[A5] names every invalid field at once', async () => {
    const reply = await client.post('/v1/search', { query: '', topK: 0, threshold: 2, colour: 'red' });
    const paths = reply.body.errors.map((error: { path: string }) => error.path).sort();
    expect(paths).toEqual(['colour', 'query', 'threshold', 'topK']);
  });

  it.each([['[]'], ['"text"'], ['null'], ['7']])('[A5] rejects the body %s', async (raw) => {
    const headers = { 'content-type': 'application/json' };
    const reply = await client.send('POST', '/v1/search', { raw, headers });
    expect(reply).toMatchObject({ status: 400, body: { code: 'validation-failed' } });
  });

  it.each([['{"query":'], ['{query: 1}'], ['']])('[A5] rejects the malformed JSON %j', async (raw) => {
    const headers = { 'content-type': 'application/json' };
    const reply = await client.send('POST', '/v1/search', { raw, headers });
    expect(reply).toMatchObject({ status: 400, body: { code: 'malformed-json' } });
  });

  it('[A5] rejects a body that is not UTF-8, has another media type or is too large', async () => {
    const json = { 'content-type': 'application/json' };
    const latin1 = new Uint8Array([...Buffer.from('{"query":"caf'), 0xe9, ...Buffer.from('"}')]);
    const text = { 'content-type': 'text/plain' };
    const body = JSON.stringify({ query });
    const large = JSON.stringify({ query, tags: ['x'.repeat(8_000_000)] });
    const post = (raw: string | Uint8Array, headers: Record<string, string>) =>
      client.send('POST', '/v1/search', { raw, headers });
    expect(await post(latin1, json)).toMatchObject({ status: 400, body: { code: 'malformed-json' } });
    expect(await post(body, text)).toMatchObject({ status: 415, body: { code: 'unsupported-media-type' } });
    expect(await post(large, json)).toMatchObject({ status: 413, body: { code: 'body-too-large' } });
    expect(await post(body, { 'content-type': 'application/json; charset=utf-8' })).toMatchObject({
      status: 200,
    });
  });

  it('[I1] answers 401 without a credential', async () => {
    expect(await clientOf(server).post('/v1/search', { query })).toMatchObject({
      status: 401,
      body: { code: 'unauthenticated' },
    });
  });
});

describe('limits of search parameters', () => {
  const edges: [string, Record<string, unknown>][] = [
    ['topK 1', { query, topK: 1 }],
    ['topK 1000', { query, topK: 1000 }],
    ['threshold 0', { query, threshold: 0 }],
    ['threshold 1', { query, threshold: 1 }],
    ['waitMs 0', { query, waitMs: 0 }],
    ['waitMs 30,000', { query, waitMs: 30_000 }],
    ['an empty scope', { query, scope: {} }],
    ['an empty filter', { query, filter: {} }],
    ['every layer', { query, layers: ['agent', 'user', 'session', 'project', 'team', 'org', 'company'] }],
    ['a layer twice', { query, layers: ['user', 'user'] }],
    ['a session', { query, sessionId: 'chat-1' }],
    ['a query of one letter', { query: 'x' }],
    ['a query of punctuation only', { query: '?!… —' }],
    ['a query of stop words only', { query: 'what is the and of' }],
    ['a query of one emoji', { query: '🦕' }],
    ['a query with a line break', { query: 'build\ncores' }],
    ['a query with quotes and operators', { query: `'build' & "cores" | !(x) <-> :* \\ % _ $1; drop table` }],
    ['a query of the maximum length', { query: 'lorem ipsum '.repeat(1666).padEnd(20_000, 'x') }],
    ['a query that is one long word', { query: 'w'.repeat(20_000) }],
    ['a query in Chinese', { query: '构建在两个核心上运行' }],
    ['a query in Arabic', { query: 'يعمل البناء على نواتين' }],
  ];

  it.each(edges)('[A5] accepts %s', async (_, body) => {
    const reply = await client.post('/v1/search', body);
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
    // The only warning allowed is that nothing answers the question.
    const { results, warnings } = reply.body;
    expect(warnings.map(({ code }: Json) => code)).toEqual(results.length > 0 ? [] : ['below-threshold']);
    for (const { score } of reply.body.results) {
      expect(score).toBeGreaterThanOrEqual((body['threshold'] as number | undefined) ?? 0.7);
      expect(score).toBeLessThanOrEqual(1);
    }
  });
});
