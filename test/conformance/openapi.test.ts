import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { beforeAll, describe, expect, it } from 'vitest';
import { clientOf, clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({
  because: 'rebuilds read models, which every tenant of a server shares',
  environment: { STRATALOG_EMBEDDER: 'deterministic' },
});
let document: Json;
let ajv: Ajv2020;

beforeAll(async () => {
  document = (await clientOf(server).get('/openapi.json')).body;
  ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'openapi', undefined, false);
});

it('[G5] the AsyncAPI document of the topics is served as checked in', async () => {
  const { body } = await clientOf(server).get('/asyncapi.json');
  const written = await readFile('schemas/asyncapi.json', 'utf8');
  const prefix = server.environment['STRATALOG_KAFKA_TOPIC_PREFIX'] ?? 'stratalog';
  const own = written.replaceAll(/stratalog\.(?=(events|retrieval|internal)\b)/g, `${prefix}.`);
  expect(body).toEqual(JSON.parse(own));
});

const methods = ['get', 'post', 'patch', 'put', 'delete'];

/** The calls named in API.md that this version implements. */
const calls = [
  'post /v1/memories',
  'get /v1/memories',
  'post /v1/memories/bulk',
  'post /v1/memories/validate',
  'get /v1/memories/{id}',
  'patch /v1/memories/{id}',
  'delete /v1/memories/{id}',
  'post /v1/memories/{id}/restore',
  'get /v1/memories/{id}/history',
  'get /v1/memories/{id}/related',
  'put /v1/memories/{id}/links/{type}/{target}',
  'delete /v1/memories/{id}/links/{type}/{target}',
  'post /v1/memories/{id}/feedback',
  'post /v1/search',
  'post /v1/reasoning/multi-hop',
  'get /v1/stats',
  'get /v1/audit/events',
  'get /v1/admin/keys',
  'post /v1/admin/keys',
  'get /v1/admin/projections',
  'post /v1/admin/projections/{name}/rebuild',
  'post /v1/admin/projections/{name}/switch',
  'post /v1/admin/projections/{name}/rollback',
  'get /livez',
  'get /readyz',
  'get /metrics',
];

function operations(): { call: string; path: string; method: string; operation: Json }[] {
  return Object.entries(document.paths as Record<string, Json>).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method] !== undefined)
      .map((method) => ({ call: `${method} ${path}`, path, method, operation: item[method] })),
  );
}

const pointer = (...keys: string[]) =>
  keys.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');

/** Errors of `value` against the documented answer. */
function errorsOf(
  call: string,
  status: number | 'default',
  value: unknown,
  type = 'application/json',
): unknown {
  const [method, path] = call.split(' ') as [string, string];
  return errorsAt(['paths', path, method, 'responses', String(status), 'content', type, 'schema'], value);
}

/** Errors of `value` against the schema at `place` in the document. */
function errorsAt(place: readonly string[], value: unknown): unknown {
  const validate = ajv.compile({ $ref: `openapi#/${pointer(...place)}` });
  validate(value);
  return validate.errors ?? [];
}

describe('the OpenAPI document', () => {
  it('[J2] is valid OpenAPI 3.1', async () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    const result = await new Validator().validate(structuredClone(document));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });

  it('[J2] lists every call of the API, each with a unique operationId', () => {
    const named = operations().map(({ call }) => call);
    expect(named).toEqual(expect.arrayContaining(calls));
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('[J2] describes the parameters, body, answers and problem of each call', () => {
    for (const { call, path, operation } of operations()) {
      expect(operation.summary, call).toBeTruthy();
      const declared = (operation.parameters ?? []).filter((parameter: Json) => parameter.in === 'path');
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      expect(new Set(declared.map(({ name }: Json) => name)), call).toEqual(new Set(inPath));
      const good = Object.keys(operation.responses).filter((status) => status.startsWith('2'));
      expect(good.length, call).toBeGreaterThan(0);
      for (const status of good)
        expect(operation.responses[status].content, `${call} ${status}`).toBeTruthy();
      if (path.startsWith('/v1')) {
        for (const status of [400, 401, 403, 404, 429, 503])
          expect(operation.responses[status].$ref).toBe(`#/components/responses/Problem${status}`);
      }
    }
    const headersOf = (call: string): Map<string, boolean> => {
      const { parameters } = operations().find((operation) => operation.call === call)!.operation;
      const headers = parameters.filter((parameter: Json) => parameter.in === 'header');
      return new Map(headers.map(({ name, required = false }: Json) => [name, required]));
    };
    expect([...headersOf('patch /v1/memories/{id}').keys()]).toEqual(
      expect.arrayContaining(['Idempotency-Key', 'If-Match', 'X-Reason', 'X-Cause']),
    );
    expect(headersOf('patch /v1/memories/{id}').get('If-Match')).toBe(true);
    expect(headersOf('delete /v1/memories/{id}').get('If-Match')).toBe(false);
  });

  it('[J2] states the limits that the server enforces', () => {
    const search = document.components.schemas.Search.properties;
    expect(search.topK).toMatchObject({ type: 'integer', minimum: 1, maximum: 1000, default: 10 });
    expect(search.threshold).toMatchObject({ minimum: 0, maximum: 1 });
    expect(search.threshold).not.toHaveProperty('default');
    expect(search.order).toMatchObject({
      enum: ['precedence', 'relevance', 'layer'],
      default: 'precedence',
    });
    expect(document.components.schemas.StoreMemory.properties.content).toMatchObject({
      maxLength: 1_000_000,
    });
    expect(document.components.schemas.StoreMemory.additionalProperties).toBe(false);
    const limit = operations()
      .find(({ call }) => call === 'get /v1/memories')!
      .operation.parameters.find(({ name }: Json) => name === 'limit');
    expect(limit.schema).toMatchObject({ type: 'integer', minimum: 1, maximum: 500 });
    const related = operations().find(({ call }) => call === 'get /v1/memories/{id}/related')!.operation;
    const { properties } = related.responses['200'].content['application/json'].schema;
    expect(properties.items).toMatchObject({ type: 'array', maxItems: 500 });
  });

  it('[J2] has an example of each body and answer that fits its schema', () => {
    for (const { call, path, method, operation } of operations()) {
      const { requestBody, responses } = operation;
      const shapes = [
        ...Object.entries<Json>(requestBody?.content ?? {}).map(([type, shape]) => ({
          shape,
          place: ['requestBody', 'content', type],
        })),
        ...Object.entries<Json>(responses).flatMap(([status, { content = {} }]) =>
          Object.entries<Json>(content).map(([type, shape]) => ({
            shape,
            place: ['responses', status, 'content', type],
          })),
        ),
      ];
      for (const { shape, place } of shapes) {
        const named = `${call} ${place.join(' ')}`;
        expect(shape.example, named).toBeDefined();
        expect(errorsAt(['paths', path, method, ...place, 'schema'], shape.example), named).toEqual([]);
      }
    }
  });
});

describe('actual answers', () => {
  let client: Client;

  beforeAll(async () => {
    client = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
  });

  it('[J2] match the document', async () => {
    const body = {
      content: 'The bridge opens at six',
      externalId: 'bridge',
      occurredAt: '2024-01-01T00:00:00+01:00',
    };
    const stored = await client.post('/v1/memories', body);
    const { id } = stored.body.memory;
    const other = (await client.store({ content: 'The bridge closes at nine', layer: 'company' })).memory.id;
    const path = `/v1/memories/${id}`;
    const link = `${path}/links/related/${other}`;
    const position = (await client.put(link)).body.position;
    const wait = `minPosition=${position}&waitMs=30000`;
    const ndjson = { headers: { 'content-type': 'application/x-ndjson' } };
    const key = await client.post('/v1/admin/keys', { role: 'reader', name: 'x' });
    const answers: [string, Promise<{ status: number; body: Json }>][] = [
      ['post /v1/memories', Promise.resolve(stored)],
      ['get /v1/memories', client.get(`/v1/memories?${wait}`)],
      ['get /v1/memories/{id}', client.get(path)],
      ['patch /v1/memories/{id}', client.patch(path, { tags: ['x'] }, { 'if-match': '*' })],
      ['get /v1/memories/{id}/history', client.get(`${path}/history`)],
      ['get /v1/memories/{id}/related', client.get(`${path}/related?${wait}`)],
      ['put /v1/memories/{id}/links/{type}/{target}', client.put(link)],
      ['delete /v1/memories/{id}/links/{type}/{target}', client.delete(link)],
      ['post /v1/memories/{id}/feedback', client.post(`${path}/feedback`, { kind: 'outdated' })],
      [
        'post /v1/search',
        client.post('/v1/search', { query: body.content, minPosition: position, waitMs: 30_000 }),
      ],
      ['get /v1/stats', client.get('/v1/stats')],
      ['get /v1/audit/events', client.get('/v1/audit/events')],
      ['post /v1/admin/keys', Promise.resolve(key)],
      ['get /v1/admin/keys', client.get('/v1/admin/keys')],
      ['delete /v1/admin/keys/{id}', client.delete(`/v1/admin/keys/${key.body.id}`)],
      ['get /v1/admin/projections', client.get('/v1/admin/projections')],
      ['post /v1/admin/projections/{name}/rebuild', client.post('/v1/admin/projections/links/rebuild')],
      ['get /livez', client.get('/livez')],
      ['get /readyz', client.get('/readyz')],
    ];
    for (const [call, answer] of answers) {
      const { status, body } = await answer;
      expect([call, Math.floor(status / 100)]).toEqual([call, 2]);
      expect(errorsOf(call, status, body), call).toEqual([]);
    }
    const lines = await client.send('POST', '/v1/memories/bulk', { raw: '{"content":"x"}\n{}\n', ...ndjson });
    expect(lines.body.map(({ status }: Json) => status)).toEqual([201, 400]);
    for (const line of lines.body) {
      expect(errorsOf('post /v1/memories/bulk', 200, line, 'application/x-ndjson')).toEqual([]);
    }
    const [deleted, restored, erased] = [
      await client.delete(path),
      await client.post(`${path}/restore`),
      await client.delete(`${path}?mode=erase`),
    ];
    expect(errorsOf('delete /v1/memories/{id}', 200, deleted.body)).toEqual([]);
    expect(errorsOf('post /v1/memories/{id}/restore', 200, restored.body)).toEqual([]);
    expect(errorsOf('delete /v1/memories/{id}', 200, erased.body)).toEqual([]);
  });

  it('[J2] are the documented problem for an error', async () => {
    const type = 'application/problem+json';
    const problems = [
      await client.post('/v1/memories', {}),
      await client.get('/v1/memories/none'),
      await clientOf(server).get('/v1/stats'),
      await client.patch('/v1/memories/none', {}),
    ];
    // Problems may have members of their own.
    await client.post('/v1/memories', { content: 'One', externalId: 'taken' });
    const taken = await client.post('/v1/memories', { content: 'Another', externalId: 'taken' });
    expect(taken.body.memoryId).toBeDefined();
    for (const { status, body } of [...problems, taken]) {
      const place = ['components', 'responses', `Problem${status}`, 'content', type, 'schema'];
      expect(errorsAt(place, body)).toEqual([]);
    }
  });
});
