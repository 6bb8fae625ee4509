import { beforeAll, describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { layers } from '../../src/domain/layers.ts';
import { expectInvalid } from '../support/problem.ts';
import { newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let admin: Client;
let id: string;
let position: string;

beforeAll(async () => {
  ({ admin } = await newTenant(server));
  const { memory } = await admin.store({ content: 'The lamp is red', tags: ['lamp'], spaces: ['home'] });
  id = memory.id;
  ({ position } = await admin.store({ content: 'The chair is blue', tags: ['chair'], layer: 'company' }));
});

describe('a wrong field', () => {
  const posts: [path: string, body: Json, detail: string][] = [
    ['/v1/memories', {}, 'content: is required'],
    ['/v1/memories', { text: 'x' }, 'content: is required; text: use content'],
    ['/v1/memories', { content: 'x', project: 'p' }, 'project: use scope.project'],
    ['/v1/memories', { content: 'x', scope: { userId: 'u' } }, 'scope.userId: use scope.user'],
    ['/v1/memories', { content: 'x', idempotencyKey: 'k' }, 'idempotencyKey: use the header Idempotency-Key'],
    ['/v1/search', {}, 'query: is required'],
    ['/v1/search', { query: 'x', limit: 3 }, 'limit: use topK'],
    ['/v1/search', { query: 'x', top_k: 3 }, 'top_k: use topK'],
    ['/v1/search', { query: 'x', treshold: 0.5 }, 'treshold: use threshold'],
    [
      '/v1/reasoning/multi-hop',
      { query: 'x', budget: { wall: 5 } },
      'budget.wall: is not a known field: use one of queries, wallMs',
    ],
    ['/v1/search', { query: 'x', topK: 5_000 }, 'topK: must be an integer from 1 to 1,000'],
    ['/v1/search', { query: 'x', tags: 7 }, 'tags: must be a list of texts, not a number'],
    ['/v1/memories', { content: 'x', spaces: [''] }, 'spaces.0: is empty: at least 1 character is needed'],
    ['/v1/memories', { content: 'x', layer: 'world' }, `layer: must be one of ${layers.join(', ')}`],
    ['/v1/reasoning/multi-hop', { query: 'x', hops: 2 }, 'hops: use depth'],
    ['/v1/memories/validate', { memoryIds: ['x'] }, 'ids: is required; memoryIds: use ids'],
    ['/v1/admin/keys', { role: 'member', org: ['o'] }, 'org: use orgs'],
  ];

  it.each(posts)('[I2] of POST %s %j: %s', async (path, body, detail) => {
    const reply = await admin.post(path, body);
    expectInvalid(reply);
    expect(reply.body.detail).toBe(detail);
  });

  it('[I2] of an update, a feedback and a link', async () => {
    const update = await admin.patch(`/v1/memories/${id}`, { tag: ['x'] }, { 'if-match': '*' });
    expect(update.body.detail).toBe('tag: use tags');
    const revision = await admin.patch(`/v1/memories/${id}`, { revision: 0 }, { 'if-match': '*' });
    expect(revision.body.detail).toBe('revision: use the header If-Match');
    const feedback = await admin.post(`/v1/memories/${id}/feedback`, { type: 'helpful' });
    expect(feedback.body.detail).toBe('kind: is required; type: use kind');
  });

  it.each([
    ['/v1/memories?top_k=3', 'top_k: use limit'],
    ['/v1/memories?since=2026-01-01T00:00:00Z', 'since: use createdAfter'],
    ['/v1/memories?reason=x', 'reason: use the header X-Reason'],
    ['/v1/memories?colour=red', 'colour: is not a known field'],
    ['/v1/stats?position=x', 'position: use minPosition'],
  ])('[I2] of GET %s: %s', async (path, detail) => {
    const reply = await admin.get(path);
    expectInvalid(reply);
    expect(reply.body.detail).toBe(detail);
  });

  it('[I2] in the wrong part of a request', async () => {
    const reply = await admin.post('/v1/search?minPosition=x', { query: 'x' });
    expectInvalid(reply, 'minPosition');
    expect(reply.body.detail).toBe('minPosition: use minPosition in the body');
  });

  it('[I2] of a filter names the field, and the place of own fields', async () => {
    const filter = { user: { eq: 'ada' } };
    const known = await admin.post('/v1/search', { query: 'x', filter });
    expectInvalid(known, 'filter.user');
    expect(known.body.detail).toContain('use scope.user, or metadata.user for a field of your own');
    const unknown = await admin.post('/v1/search', { query: 'x', filter: { colour: { eq: 'red' } } });
    expect(unknown.body.detail).toContain('use metadata.colour for a field of your own, or one of');
  });

  it('[I2] of a line of a bulk body', async () => {
    const raw = '{"text":"x"}\n';
    const headers = { 'content-type': 'application/x-ndjson' };
    const reply = await admin.send('POST', '/v1/memories/bulk', { raw, headers });
    const line = typeof reply.body === 'string' ? JSON.parse(reply.body) : reply.body;
    expect(JSON.stringify(line)).toContain('content: is required; text: use content');
  });
});

describe('the names of filters', () => {
  const listed = async (parameters: string) => {
    const { body } = await admin.get(`/v1/memories?minPosition=${position}&${parameters}`);
    return body.items.map(({ content }: Json) => content);
  };
  const found = async (fields: Json) => {
    const body = { query: 'lamp chair', threshold: 0, minPosition: position, ...fields };
    const reply = await admin.post('/v1/search', body);
    expect(reply.status).toBe(200);
    return reply.body.results.map(({ memory }: Json) => memory.content);
  };
  const lamp = ['The lamp is red'];

  it.each(['tag=lamp', 'tags=lamp', 'space=home', 'spaces=home', 'layer=user', 'layers=user'])(
    '[A4] a list accepts %s',
    async (parameters) => {
      expect(await listed(parameters)).toEqual(lamp);
    },
  );

  it('[A4] a cursor of a list continues under the other name', async () => {
    const first = await admin.get(`/v1/memories?minPosition=${position}&layer=user&layer=company&limit=1`);
    const { body } = await admin.get(
      `/v1/memories?layers=user&layers=company&cursor=${first.body.nextCursor}`,
    );
    expect(body.items.map(({ content }: Json) => content)).toEqual(lamp);
  });

  it.each<[Json]>([
    [{ tag: 'lamp' }],
    [{ tag: ['lamp'] }],
    [{ tags: ['lamp'] }],
    [{ space: 'home' }],
    [{ spaces: ['home'] }],
    [{ layer: 'user' }],
    [{ layers: ['user'] }],
  ])('[A5] a search accepts %j', async (fields) => {
    expect(await found(fields)).toEqual(lamp);
  });

  it('[A5] a multi-hop search also accepts the singular', async () => {
    const body = { query: 'lamp', minPosition: position, tag: 'lamp' };
    const reply = await admin.post('/v1/reasoning/multi-hop', body);
    expect(reply.body.results.map(({ memory }: Json) => memory.content)).toEqual(lamp);
  });

  it.each<[Json, string]>([
    [{ tag: 'lamp', tags: ['lamp'] }, 'tag'],
    [{ tag: [] }, 'tag'],
    [{ tag: 7 }, 'tag'],
    [{ tag: null }, 'tag'],
    [{ layer: 'planet' }, 'layer.0'],
    [{ space: '' }, 'space.0'],
  ])('[A5] a search rejects %j and names %s', async (fields, path) => {
    expectInvalid(await admin.post('/v1/search', { query: 'x', ...fields }), path);
  });

  it('[A4] a list rejects both names at once', async () => {
    expectInvalid(await admin.get('/v1/memories?tag=a&tags=b'), 'tag');
  });
});
