import { beforeAll, describe, expect, it } from 'vitest';
import { clientWithKey, freshTenant, type Client, type Json, type Reply } from '../support/api.ts';
import { newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let client: Client;
let tenant: string;
let minPosition: string;
let stored: Record<string, Json>;

const content = 'The ledger is closed at the end of each quarter';
const memories = [
  { externalId: 'plain', content },
  { externalId: 'tagged', content: `${content}, by HAND`, tags: ['money', 'Q1'], spaces: ['finance'] },
  {
    externalId: 'placed',
    content,
    layer: 'team',
    scope: { org: 'o1', team: 't1', project: 'p1', session: 's1', agent: 'a1' },
  },
  { externalId: 'early', content, occurredAt: '2020-01-01T00:00:00Z' },
  { externalId: 'late', content, occurredAt: '2024-06-30T23:30:00-02:00' },
  { externalId: 'company', content, layer: 'company' },
  { externalId: 'drawn', content, representations: { code: 'Ledger.close()', ascii_diagram: '[q] -> [x]' } },
];

beforeAll(async () => {
  tenant = freshTenant();
  client = await clientWithKey(server, { tenant, role: 'admin', user: 'ada' });
  stored = {};
  for (const memory of memories) {
    const answer = await client.store(memory);
    stored[memory.externalId] = answer.memory;
    minPosition = answer.position;
  }
  const path = `/v1/memories/${stored['plain'].id}`;
  const changed = await client.patch(path, { tags: ['later'] }, { 'if-match': '*' });
  stored['plain'] = changed.body.memory;
  minPosition = changed.body.position;
});

function list(filter: unknown): Promise<Reply> {
  const text = typeof filter === 'string' ? filter : JSON.stringify(filter);
  const parameters = new URLSearchParams({ filter: text, minPosition, waitMs: '30000' });
  return client.get(`/v1/memories?${parameters.toString()}`);
}

async function found(filter: object): Promise<string[]> {
  const listed = await list(filter);
  expect(listed, JSON.stringify(listed.body)).toMatchObject({ status: 200 });
  const body = { query: content, threshold: 0, topK: 1000, filter, minPosition, waitMs: 30_000 };
  const searched = await client.post('/v1/search', body);
  expect(searched, JSON.stringify(searched.body)).toMatchObject({ status: 200 });
  const names = listed.body.items.map(({ externalId }: Json) => externalId).sort();
  const results = searched.body.results.map(({ memory }: Json) => memory.externalId);
  // A search drops the team's and the company's copies of a text that the user also has.
  for (const name of results) expect(names).toContain(name);
  return names;
}

async function asOfNow(filter: object): Promise<string[]> {
  const body = { query: content, threshold: 0, topK: 1000, filter, asOf: minPosition };
  const searched = await client.post('/v1/search', body);
  expect(searched, JSON.stringify(searched.body)).toMatchObject({ status: 200 });
  return searched.body.results.map(({ memory }: Json) => memory.externalId).sort();
}

const others = (...names: string[]) =>
  memories
    .map(({ externalId }) => externalId)
    .filter((name) => !names.includes(name))
    .sort();

describe('memory fields in a filter', () => {
  it('[A5] id, externalId, content, createdBy', async () => {
    expect(await found({ id: { eq: stored['early'].id } })).toEqual(['early']);
    expect(await found({ id: { in: [stored['early'].id, stored['late'].id, 'no id'] } })).toEqual([
      'early',
      'late',
    ]);
    expect(await found({ externalId: { contains: 'LA' } })).toEqual(['late', 'placed', 'plain']);
    expect(await found({ content: { contains: 'by hand' } })).toEqual(['tagged']);
    expect(await found({ content: { eq: content } })).toEqual(others('tagged'));
    expect(await found({ createdBy: { eq: stored['plain'].createdBy } })).toEqual(others());
    expect(await found({ createdBy: { eq: 'user:bob' } })).toEqual([]);
  });

  it('[A5] layer, tags, spaces', async () => {
    expect(await found({ layer: { eq: 'team' } })).toEqual(['placed']);
    expect(await found({ layer: { in: ['team', 'company'] } })).toEqual(['company', 'placed']);
    expect(await found({ layer: { ne: 'user' } })).toEqual(['company', 'placed']);
    expect(await found({ tags: { contains: 'money' } })).toEqual(['tagged']);
    expect(await found({ tags: { eq: 'Q1' } })).toEqual(['tagged']);
    expect(await found({ tags: { contains: 'mon' } })).toEqual([]);
    expect(await found({ tags: { contains: 'MONEY' } })).toEqual([]);
    expect(await found({ tags: { in: ['later', 'Q1'] } })).toEqual(['plain', 'tagged']);
    expect(await found({ tags: { ne: 'money' } })).toEqual(others('tagged'));
    expect(await found({ spaces: { eq: 'finance' } })).toEqual(['tagged']);
  });

  it('[A5] scope identifiers', async () => {
    expect(await found({ 'scope.company': { eq: tenant } })).toEqual(others());
    expect(await found({ 'scope.user': { eq: 'ada' } })).toEqual(others('placed', 'company'));
    for (const [key, value] of Object.entries({
      org: 'o1',
      team: 't1',
      project: 'p1',
      session: 's1',
      agent: 'a1',
    })) {
      expect(await found({ [`scope.${key}`]: { eq: value } })).toEqual(['placed']);
      expect(await found({ [`scope.${key}`]: { ne: value } })).toEqual(others('placed'));
    }
  });

  it('[A5] revision and state', async () => {
    expect(await found({ revision: { eq: 1 } })).toEqual(['plain']);
    expect(await found({ revision: { lt: 1 } })).toEqual(others('plain'));
    expect(await found({ revision: { eq: '1' } })).toEqual([]);
    expect(await found({ state: { eq: 'active' } })).toEqual(others());
    expect(await found({ state: { ne: 'active' } })).toEqual([]);
  });
});

describe('representations and importance in a filter', () => {
  it('[A5] representations are filtered by kind', async () => {
    expect(await found({ 'representations.code': { eq: 'Ledger.close()' } })).toEqual(['drawn']);
    expect(await found({ 'representations.code': { contains: 'ledger' } })).toEqual(['drawn']);
    expect(await found({ 'representations.ascii_diagram': { gt: '[' } })).toEqual(['drawn']);
    expect(await found({ 'representations.graph': { contains: 'q' } })).toEqual([]);
    expect(await found({ 'representations.code': { ne: 'Ledger.close()' } })).toEqual(others('drawn'));
    expect(await asOfNow({ 'representations.code': { contains: 'close' } })).toEqual(['drawn']);
  });

  it('[A5] importance is filtered by the value that the memory shows', async () => {
    const { importance } = stored['plain'];
    expect(await found({ importance: { eq: importance } })).toEqual(others());
    expect(await found({ importance: { gte: 0, lt: 1 } })).toEqual(others());
    expect(await found({ importance: { gt: importance } })).toEqual([]);
    expect(await found({ importance: { eq: String(importance) } })).toEqual([]);
    expect(await asOfNow({ importance: { ne: importance } })).toEqual([]);
  });
});

describe('times in a filter', () => {
  it('[A5] compares instants, whichever zone they are written in', async () => {
    expect(await found({ occurredAt: { eq: '2024-07-01T01:30:00Z' } })).toEqual(['late']);
    expect(await found({ occurredAt: { eq: '2024-07-01T03:30:00+02:00' } })).toEqual(['late']);
    expect(await found({ occurredAt: { gt: '2024-07-01T01:30:00Z' } })).toEqual([]);
    expect(await found({ occurredAt: { gte: '2024-07-01T01:30:00.000Z' } })).toEqual(['late']);
    expect(await found({ occurredAt: { lt: '2024-07-01T01:30:00Z' } })).toEqual(['early']);
    expect(await found({ occurredAt: { lte: '2020-01-01T01:00:00+01:00' } })).toEqual(['early']);
    expect(await found({ occurredAt: { in: ['2020-01-01T00:00:00Z', '1999-01-01T00:00:00Z'] } })).toEqual([
      'early',
    ]);
    expect(await found({ occurredAt: { ne: '2020-01-01T00:00:00Z' } })).toEqual(others('early'));
    expect(await found({ occurredAt: { gte: '2019-12-31T00:00:00Z', lt: '2021-01-01T00:00:00Z' } })).toEqual([
      'early',
    ]);
  });

  it('[A5] a year or a month means its first instant', async () => {
    expect(await found({ occurredAt: { eq: '2020' } })).toEqual(['early']);
    expect(await found({ occurredAt: { gte: '2024-07' } })).toEqual(['late']);
    expect(await found({ occurredAt: { gte: '2024-08' } })).toEqual([]);
  });

  it('[A5] a memory without the time matches only ne and not', async () => {
    expect(await found({ occurredAt: { gt: '1970-01-01T00:00:00Z' } })).toEqual(['early', 'late']);
    expect(await found({ not: { occurredAt: { gt: '1970-01-01T00:00:00Z' } } })).toEqual(
      others('early', 'late'),
    );
  });

  it('[A5] a value that is not a time matches no time', async () => {
    for (const operator of ['eq', 'gt', 'lt']) {
      expect(await found({ createdAt: { [operator]: 'yesterday' } })).toEqual([]);
    }
    expect(await found({ createdAt: { gt: 0 } })).toEqual([]);
    expect(await found({ createdAt: { eq: null } })).toEqual([]);
    expect(await found({ createdAt: { contains: '20' } })).toEqual([]);
    expect(await found({ createdAt: { ne: 'yesterday' } })).toEqual(others());
  });

  it.each(['occurredAt', 'createdAt', 'updatedAt'])('[A5] contains never matches %s', async (field) => {
    for (const value of ['2026-01-01', '20', 'yesterday', 7, null]) {
      expect(await found({ [field]: { contains: value } })).toEqual([]);
      expect(await found({ not: { [field]: { contains: value } } })).toEqual(others());
    }
    expect(await asOfNow({ [field]: { contains: '2026-01-01' } })).toEqual([]);
  });

  it.each([
    ['a year before the first', '0000-01-01T00:00:00Z'],
    ['a negative year', '-000001-01-01T00:00:00Z'],
    ['a five-digit year', '+010000-01-01T00:00:00Z'],
    ['the latest time that a Date can hold', '+275760-09-13T00:00:00Z'],
    ['a year after 9999 once in UTC', '9999-12-31T23:30:00-01:00'],
    ['a bare number', '1'],
    ['a two-digit year', '20'],
    ['a time without a zone', '2000-01-01T00:00:00'],
    ['a time without seconds', '2000-01-01T00:00Z'],
    ['a day that does not exist', '2000-02-30'],
    ['a date in words', 'Jan 1, 2000'],
  ])('[A5] %s is not a time: only ne and not match', async (_, value) => {
    for (const operator of ['eq', 'gt', 'gte', 'lt', 'lte', 'contains']) {
      expect(await found({ createdAt: { [operator]: value } }), operator).toEqual([]);
    }
    expect(await found({ createdAt: { in: [value] } })).toEqual([]);
    expect(await found({ createdAt: { in: [value, stored['plain'].createdAt] } })).toContain('plain');
    expect(await found({ createdAt: { ne: value } })).toEqual(others());
    expect(await asOfNow({ createdAt: { gt: value } })).toEqual([]);
  });

  it('[A5] accepts every time from year 1 to 9999, and reads a date as midnight UTC', async () => {
    for (const time of ['0001-01-01', '0001-01-01T00:00:00Z'])
      expect(await found({ createdAt: { gt: time } })).toEqual(others());
    for (const time of ['9999-12-31', '9999-12-31T23:59:59.999Z'])
      expect(await found({ createdAt: { lt: time } })).toEqual(others());
    expect(await found({ occurredAt: { eq: '2020-01-01' } })).toEqual(['early']);
    expect(await found({ occurredAt: { lt: '2020-01-01' } })).toEqual([]);
  });

  it('[A5] createdAt and updatedAt match the values that the memory shows', async () => {
    const { createdAt, updatedAt } = stored['plain'];
    expect(await found({ createdAt: { eq: createdAt }, externalId: { eq: 'plain' } })).toEqual(['plain']);
    expect(await found({ updatedAt: { eq: updatedAt }, externalId: { eq: 'plain' } })).toEqual(['plain']);
    expect(await found({ createdAt: { lt: createdAt } })).toEqual([]);
    expect(await found({ updatedAt: { gt: updatedAt } })).toEqual([]);
  });
});

describe('rejected filters', () => {
  const operators = ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'contains'];

  const wrong: [string, unknown, string][] = [
    ['an unknown operator', { 'metadata.v': { like: 'x' } }, 'filter.metadata.v.like'],
    ['an operator in capitals', { 'metadata.v': { EQ: 'x' } }, 'filter.metadata.v.EQ'],
    ['an unknown operator among known ones', { revision: { gt: 1, between: 2 } }, 'filter.revision.between'],
    ['an unknown field', { colour: { eq: 'red' } }, 'filter.colour'],
    ['metadata itself', { metadata: { eq: 1 } }, 'filter.metadata'],
    ['representations themselves', { representations: { eq: 'x' } }, 'filter.representations'],
    ['an unknown kind', { 'representations.audio': { eq: 'x' } }, 'filter.representations.audio'],
    ['an empty path below metadata', { 'metadata.': { eq: 1 } }, 'filter.metadata.'],
    ['a path with an empty key', { 'metadata.a..b': { eq: 1 } }, 'filter.metadata.a..b'],
    ['a field of the prototype', { constructor: { eq: 1 } }, 'filter.constructor'],
    ['a value without an operator', { revision: 3 }, 'filter.revision'],
    ['a list without an operator', { tags: ['a'] }, 'filter.tags'],
    ['no operator', { revision: {} }, 'filter.revision'],
    ['an empty and', { and: [] }, 'filter.and'],
    ['an and that is not a list', { and: { revision: { eq: 1 } } }, 'filter.and'],
    ['an or of numbers', { or: [3] }, 'filter.or.0'],
    ['a not of a list', { not: [] }, 'filter.not'],
    ['an in that is not a list', { revision: { in: 3 } }, 'filter.revision.in'],
    ['an empty in', { revision: { in: [] } }, 'filter.revision.in'],
    [
      'an in of 1,001 values',
      { revision: { in: Array.from({ length: 1001 }, (_, i) => i) } },
      'filter.revision.in',
    ],
    ['an object in an in', { revision: { in: [1, {}] } }, 'filter.revision.in.1'],
    ['an eq of an object', { 'metadata.v': { eq: {} } }, 'filter.metadata.v.eq'],
    ['an eq of a list', { 'metadata.v': { eq: [1] } }, 'filter.metadata.v.eq'],
    ['a gt of true', { 'metadata.v': { gt: true } }, 'filter.metadata.v.gt'],
    ['an lte of null', { 'metadata.v': { lte: null } }, 'filter.metadata.v.lte'],
    [
      'a deeply nested error',
      { and: [{ or: [{ not: { nope: { eq: 1 } } }] }] },
      'filter.and.0.or.0.not.nope',
    ],
  ];

  it.each(wrong)('[A5] %s', async (_, filter, path) => {
    const searched = await client.post('/v1/search', { query: content, filter });
    for (const reply of [await list(filter), searched]) {
      expect(reply).toMatchObject({ status: 400, body: { code: 'validation-failed' } });
      expect(reply.body.errors.map((error: Json) => error.path)).toEqual([path]);
    }
  });

  const deep = (left: string, right: string) => left.repeat(20_000) + '1' + right.repeat(20_000);
  const paths = ['/v1/search', '/v1/reasoning/multi-hop'];
  it.each([
    ['nots', deep('{"not":', '}')],
    ['ands', deep('{"and":[', ']}')],
    ['lists in an eq', `{"layer":{"eq":${deep('[', ']')}}}`],
  ])('[A5] [A11] 20,000 %s are rejected, with and without an Idempotency-Key', async (_, filter) => {
    const raw = `{"query":"x","filter":${filter}}`;
    for (const path of paths) {
      for (const headers of [{}, { 'idempotency-key': 'deep' }]) {
        const type = { 'content-type': 'application/json' };
        const reply = await client.send('POST', path, { raw, headers: { ...type, ...headers } });
        expect(reply).toMatchObject({ status: 400, body: { code: 'validation-failed' } });
        expect(reply.body.errors[0].path).toMatch(/^filter/);
      }
    }
  });

  const many = <Item>(count: number, item: (index: number) => Item) =>
    Array.from({ length: count }, (_, index) => item(index));
  const wide: [string, object, RegExp][] = [
    ['101 tests', { or: many(101, (i) => ({ revision: { eq: i } })) }, /100 tests/],
    ['20,000 tests', { or: many(20_000, (i) => ({ 'metadata.a': { eq: i } })) }, /100 tests/],
    [
      '101 tests in several places',
      { and: [{ or: many(99, () => ({ id: { eq: 1 } })) }, { not: { id: { gt: 1, lt: 2 } } }] },
      /100 tests/,
    ],
    ['101 filters without a test', { not: { or: many(101, () => ({})) } }, /100 tests/],
    [
      '70 lists of 1,000 values',
      { or: many(70, () => ({ revision: { in: many(1_000, (i) => i) } })) },
      /10,000 values/,
    ],
  ];

  it.each(wide)('[A5] %s', async (_, filter, limit) => {
    for (const asOf of [undefined, minPosition]) {
      const reply = await client.post('/v1/search', { query: content, filter, asOf });
      expect(reply).toMatchObject({ status: 400, body: { code: 'validation-failed' } });
      expect(reply.body.errors).toEqual([
        { path: 'filter', message: expect.stringMatching(limit) as string },
      ]);
    }
  });

  it('[A5] [I4] large values in a memory or a filter do not block other requests', async () => {
    const { admin } = await newTenant(server);
    const metadata = Object.fromEntries(many(20_000, (i) => [`k${i}`, i]));
    const wideOne = await admin.store({ content: 'wide', metadata });
    const { memory } = await admin.store({ content: `${'word '.repeat(39_000)}end` });
    const { position: last } = await admin.store({ content: 'short', metadata: { list: [3, 'a'] } });
    const ids = async (filter: object) => {
      const { status, body } = await admin.get(
        `/v1/memories?filter=${encodeURIComponent(JSON.stringify(filter))}&minPosition=${last}`,
      );
      expect(status).toBe(200);
      return body.items.map(({ id }: Json) => id);
    };
    expect(await ids({ 'metadata.k7': { in: many(1_000, (i) => i) } })).toEqual([wideOne.memory.id]);
    expect(await ids({ 'metadata.list': { in: many(1_000, (i) => i) } })).toHaveLength(1);
    const search = async (filter: object) => {
      const request = { query: 'word', threshold: 0, filter, minPosition: last };
      const { status, body } = await admin.post('/v1/search', request);
      expect(status).toBe(200);
      return body.results.map(({ memory: { id } }: Json) => id);
    };
    const none = many(99, (i) => ({ content: { contains: `zz${i}` } }));
    expect(await search({ or: [...none, { content: { contains: 'D EnD' } }] })).toEqual([memory.id]);
    expect(await search({ content: { contains: 'x'.repeat(1_000_000) } })).toEqual([]);
  });

  it('[A5] filters at the maximum number of conditions and values are answered', async () => {
    const texts = many(91, (i) => ({ 'metadata.a': { contains: `none ${i}` } }));
    const lists = many(9, () => ({ 'metadata.a': { in: many(1_000, (i) => i) } }));
    const filter = { or: [...texts, ...lists.slice(1), { revision: { in: many(1_000, (i) => i) } }] };
    for (const asOf of [undefined, minPosition]) {
      const body = { query: content, threshold: 0, topK: 1000, filter, asOf };
      const reply = await client.post('/v1/search', body);
      expect(reply.status, JSON.stringify(reply.body)).toBe(200);
      expect(reply.body.results.length).toBeGreaterThan(0);
    }
  });

  it('[A5] an unknown operator is rejected with a list of the known ones', async () => {
    const reply = await list({ 'metadata.v': { matches: 'x' } });
    for (const operator of operators) expect(reply.body.detail).toContain(operator);
  });

  it('[A5] an unknown field is rejected with a list of the known ones', async () => {
    const reply = await list({ colour: { eq: 'red' } });
    const known = [
      'metadata.<path>',
      'content',
      'layer',
      'tags',
      'scope.team',
      'accessCount',
      'lastAccessedAt',
    ];
    for (const field of [...known, 'importance', 'retentionUntil', 'representations.code']) {
      expect(reply.body.detail).toContain(field);
    }
  });

  it.each([['{'], ['[]'], ['7'], ['null'], ['"x"']])(
    '[A5] %s is rejected as the filter of a list',
    async (text) => {
      const reply = await list(text);
      expect(reply).toMatchObject({ status: 400, body: { code: 'validation-failed' } });
      expect(reply.body.errors[0].path).toBe('filter');
    },
  );
});
