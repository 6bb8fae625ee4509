import { beforeAll, describe, expect, it } from 'vitest';
import type { Client, Json, SendOptions } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let admin: Client;

beforeAll(async () => {
  ({ admin } = await newTenant(server));
});

const json = { 'content-type': 'application/json' };
const many = (count: number) => Array.from({ length: count }, (_, n) => `n${n}`);

describe('an invalid field', () => {
  const bad: [title: string, fields: Json, ...paths: string[]][] = [
    ['no content', { content: undefined }, 'content'],
    ['empty content', { content: '' }, 'content'],
    ['only white space', { content: ' \t\r\n\u0085\u00a0\u2003\ufeff' }, 'content'],
    ['U+0000 in the content', { content: 'a\u0000b' }, 'content'],
    ['a lone high surrogate', { content: 'a\ud800b' }, 'content'],
    ['a lone low surrogate', { content: '\udc00' }, 'content'],
    ['surrogates in the wrong order', { content: '\udc00\ud800' }, 'content'],
    ['content that is not text', { content: 7 }, 'content'],
    ['content null', { content: null }, 'content'],
    ['an unknown layer', { layer: 'planet' }, 'layer'],
    ['layer null', { layer: null }, 'layer'],
    ['a scope that is not an object', { scope: 'acme' }, 'scope'],
    ['an unknown identifier', { scope: { galaxy: 'x' } }, 'scope.galaxy'],
    ['an empty identifier', { scope: { team: '' } }, 'scope.team'],
    ['an identifier that is not text', { scope: { team: ['a'] } }, 'scope.team'],
    ['a control character in an identifier', { scope: { team: 'a\u0007' } }, 'scope.team'],
    ['U+0000 in an identifier', { scope: { team: 'a\u0000' } }, 'scope.team'],
    ['a lone surrogate in an identifier', { scope: { team: '\ud800' } }, 'scope.team'],
    ['spaces that are not a list', { spaces: 'a' }, 'spaces'],
    ['an empty space', { spaces: ['a', ''] }, 'spaces.1'],
    ['a tag that is not text', { tags: [1] }, 'tags.0'],
    ['a tag with a lone surrogate', { tags: ['ok', '\udfff'] }, 'tags.1'],
    ['a tag with U+0000', { tags: ['\u0000'] }, 'tags.0'],
    ['thousands of tags', { tags: many(5_000) }, 'tags'],
    ['metadata that is a list', { metadata: [] }, 'metadata'],
    ['metadata null', { metadata: null }, 'metadata'],
    ['U+0000 in a metadata value', { metadata: { a: { b: ['\u0000'] } } }, 'metadata.a.b.0'],
    ['a lone surrogate in a metadata value', { metadata: { a: '\ud800' } }, 'metadata.a'],
    ['an empty externalId', { externalId: '' }, 'externalId'],
    ['an externalId of 513 characters', { externalId: 'e'.repeat(513) }, 'externalId'],
    ['an externalId with U+0000', { externalId: 'a\u0000' }, 'externalId'],
    ['an externalId with a lone surrogate', { externalId: 'a\ud800' }, 'externalId'],
    ['an externalId that is not text', { externalId: 12 }, 'externalId'],
    ['a time without a zone', { occurredAt: '2024-01-01T00:00:00' }, 'occurredAt'],
    ['a date without a time', { occurredAt: '2024-01-01' }, 'occurredAt'],
    ['a day that does not exist', { occurredAt: '2023-02-29T00:00:00Z' }, 'occurredAt'],
    ['a month that does not exist', { occurredAt: '2024-13-01T00:00:00Z' }, 'occurredAt'],
    ['a time as a number', { occurredAt: 1_700_000_000 }, 'occurredAt'],
    [
      'an unknown representation',
      { representations: { interpretive_dance: 'x' } },
      'representations.interpretive_dance',
    ],
    ['a representation that is not text', { representations: { code: {} } }, 'representations.code'],
    ['a representation with U+0000', { representations: { code: '\u0000' } }, 'representations.code'],
    ['a subject that is not text', { subject: {} }, 'subject'],
    ['a subject with U+0000', { subject: '\u0000' }, 'subject'],
    ['an unknown field', { colour: 'red' }, 'colour'],
    ['several unknown fields', { a: 1, b: 2 }, 'a', 'b'],
    ['a field set by the server', { id: 'x', revision: 3 }, 'id', 'revision'],
    [
      'errors in several fields, each named',
      { content: '', layer: 'x', tags: [''] },
      'content',
      'layer',
      'tags.0',
    ],
  ];

  it.each(bad)('[A1] rejects %s and names it', async (...row) => {
    const [, fields, ...paths] = row;
    const reply = await admin.post('/v1/memories', { content: 'never stored', ...fields });
    expectInvalid(reply, ...paths);
    expect(reply.body.errors).not.toEqual([]);
  });

  it.each([
    ['metadata', '{"content":"x","metadata":{"__proto__":{"admin":true}}}'],
    ['the body', '{"content":"x","__proto__":{"layer":"company"}}'],
    ['the representations', '{"content":"x","representations":{"__proto__":"x"}}', 'representations'],
    ['the scope', '{"content":"x","scope":{"__proto__":{"team":"a"}}}'],
  ])('[A1] rejects the key __proto__ in %s', async (_, raw, ...paths) => {
    expectInvalid(await admin.send('POST', '/v1/memories', { raw, headers: json }), ...paths);
  });

  it.each([33, 1_000, 40_000])('[A1] rejects metadata nested %i levels deep', async (levels) => {
    const metadata = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    const raw = `{"content":"never stored","metadata":${metadata}}`;
    expectInvalid(await admin.send('POST', '/v1/memories', { raw, headers: json }), 'metadata.a.a.a');
  });

  it('[A1] rejects a number that JSON allows but a double cannot hold', async () => {
    const raw = '{"content":"x","metadata":{"huge":1e999}}';
    expectInvalid(await admin.send('POST', '/v1/memories', { raw, headers: json }), 'metadata.huge');
  });

  it('[A1] stores metadata keys that have a meaning in JavaScript', async () => {
    const metadata = { constructor: 'c', toString: 't', hasOwnProperty: [1], '': 'empty', 'a.b': { $c: 1 } };
    const { memory } = await admin.store({ content: 'x', metadata });
    expect(memory.metadata).toEqual(metadata);
  });

  it.each([
    ['year 0, which PostgreSQL does not support', '0000-06-01T00:00:00Z'],
    ['a year before 0 once in UTC', '0000-01-01T00:00:00+10:00'],
    ['a year after 9999 once in UTC', '9999-12-31T23:59:59-10:00'],
  ])('[A1] rejects a time in %s', async (_, occurredAt) => {
    expectInvalid(await admin.post('/v1/memories', { content: 'x', occurredAt }), 'occurredAt');
  });

  it.each(['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])(
    '[A1] stores the time %s',
    async (occurredAt) => {
      const { memory, position } = await admin.store({ content: 'x', occurredAt });
      expect(memory.occurredAt).toBe(occurredAt);
      const filter = encodeURIComponent(JSON.stringify({ id: { eq: memory.id } }));
      const list = await admin.get(`/v1/memories?minPosition=${position}&filter=${filter}`);
      expect(list.body.items).toEqual([memory]);
    },
  );
});

describe('an invalid body', () => {
  const store = (options: SendOptions) => admin.send('POST', '/v1/memories', options);

  it.each([
    ['broken', '{"content": "x"'],
    ['empty', ''],
    ['two values', '{"content":"x"}{"content":"y"}'],
    ['NaN', '{"content":"x","metadata":{"n":NaN}}'],
  ])('[A1] rejects JSON that is %s', async (_, raw) => {
    expectProblem(await store({ raw, headers: json }), 400, 'malformed-json');
  });

  it('[A1] rejects bytes that are not UTF-8', async () => {
    const raw = Buffer.concat([Buffer.from('{"content":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
    expectProblem(await store({ raw, headers: json }), 400, 'malformed-json');
  });

  it.each(['null', '[]', '"text"', '7', '[{"content":"x"}]'])('[A1] rejects the body %s', async (raw) => {
    expectInvalid(await store({ raw, headers: json }));
  });

  it.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['application/xml'],
    ['application/json; charset=utf-16'],
    ['json'],
  ])('[A1] rejects the media type %s', async (type) => {
    const reply = await store({ raw: '{"content":"x"}', headers: { 'content-type': type } });
    expectProblem(reply, 415, 'unsupported-media-type');
    expect(reply.body.detail).toMatch(/application\/json/);
  });

  it('[A1] rejects a body without a media type, and a compressed one', async () => {
    const bytes = new TextEncoder().encode('{"content":"x"}');
    expectProblem(await store({ raw: bytes }), 415, 'unsupported-media-type');
    const packed = await store({ raw: bytes, headers: { ...json, 'content-encoding': 'gzip' } });
    expectProblem(packed, 415, 'unsupported-media-type');
  });

  it('[A1] accepts charset=utf-8', async () => {
    const headers = { 'content-type': 'Application/JSON; Charset="UTF-8"' };
    expect((await store({ raw: '{"content":"charset"}', headers })).status).toBe(201);
  });

  it('[A1] accepts a body of 8,000,000 bytes and rejects a larger one', async () => {
    const padded = (bytes: number) => '{"content":"padded"}'.padEnd(bytes, ' ');
    expect((await store({ raw: padded(8_000_000), headers: json })).status).toBe(201);
    expectProblem(await store({ raw: padded(8_000_001), headers: json }), 413, 'body-too-large');
  });

  it.each([
    ['metadata', { metadata: { k: 'x'.repeat(800_000) } }],
    ['representations', { representations: { code: 'x'.repeat(800_000) } }],
  ])('[A1] rejects %s too large for an event, and names the field', async (path, fields) => {
    const reply = await admin.post('/v1/memories', { content: 'never stored', ...fields });
    expectProblem(reply, 413, 'content-too-large');
    expect(reply.body.errors[0].path).toBe(path);
  });

  it('[A1] claims neither the key nor the externalId of a body that is too large for an event', async () => {
    const { admin: own } = await newTenant(server);
    const large = { content: 'a', metadata: { k: 'x'.repeat(800_000) }, externalId: 'e' };
    const reply = await own.post('/v1/memories', large, { 'idempotency-key': 'k' });
    expectProblem(reply, 413, 'content-too-large');
    const { position } = await own.store({ content: 'b' });
    expect(await auditEvents(own, 'type=ClaimTaken', position)).toEqual([]);
  });

  it('[A1] rejects query parameters', async () => {
    const reply = await admin.post('/v1/memories?layer=company', { content: 'x' });
    expectInvalid(reply, 'layer');
  });
});

it('[A1] stores nothing from a rejected request', async () => {
  const { memory, position } = await admin.store({ content: 'the last one', tags: ['last'] });
  const list = await admin.get(`/v1/memories?limit=500&minPosition=${position}`);
  const contents = list.body.items.map(({ content }: Json) => content);
  expect(list.body.items[0].id).toBe(memory.id);
  expect(contents).not.toContain('never stored');
});
