import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { clientWithKey, freshTenant, type Client, type Json, type Reply } from '../support/api.ts';
import { matches, type FilterJson } from '../support/filter-oracle.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let client: Client;
let minPosition: string;

const common = 'Notes on the release of the gateway';

/** Every kind of value in the same field, to show which values a test matches. */
const memories: Record<string, Record<string, unknown>> = {
  text: { metadata: { v: 'Alpha' } },
  lower: { metadata: { v: 'alpha' } },
  beta: { metadata: { v: 'beta' } },
  empty: { metadata: { v: '' } },
  digits: { metadata: { v: '5' } },
  five: { metadata: { v: 5 } },
  half: { metadata: { v: 5.5 } },
  ten: { metadata: { v: 10 } },
  minus: { metadata: { v: -3 } },
  big: { metadata: { v: 9007199254740991 } },
  tiny: { metadata: { v: 0.30000000000000004 } },
  yes: { metadata: { v: true } },
  no: { metadata: { v: false } },
  null: { metadata: { v: null } },
  list: { metadata: { v: ['alpha', 5, true, null] } },
  texts: { metadata: { v: ['Alpha', 'beta'] } },
  emptyList: { metadata: { v: [] } },
  object: { metadata: { v: { inner: { deep: 'alpha', 'a-b c': 1 } } } },
  accent: { metadata: { v: 'ÉCOLE' } },
  greek: { metadata: { v: 'Σίσυφος' } },
  absent: { metadata: { other: 1 } },
  dotted: { metadata: { 'service.name': 'alpha', 'app.kubernetes.io/name': 'shop' } },
  nested: { metadata: { service: { name: 'beta' }, 'service.name': 'alpha' } },
  inside: { metadata: { labels: { 'service.name': 5, 'a"b': 'quoted' } } },
};

beforeAll(async () => {
  client = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
  const lines = await client.bulk(
    Object.entries(memories).map(([externalId, memory]) => ({ externalId, content: common, ...memory })),
  );
  expect(lines.map(({ status }) => status)).toEqual(lines.map(() => 201));
  minPosition = lines.at(-1)!.position;
});

function list(filter: unknown): Promise<Reply> {
  const parameters = new URLSearchParams({
    filter: JSON.stringify(filter),
    limit: '500',
    minPosition,
    waitMs: '30000',
  });
  return client.get(`/v1/memories?${parameters.toString()}`);
}

function search(filter: unknown): Promise<Reply> {
  return client.post('/v1/search', {
    query: common,
    threshold: 0,
    topK: 1000,
    filter,
    minPosition,
    waitMs: 30_000,
  });
}

/** Names of the memories that match a filter, found by list and by search, which must agree. */
async function found(filter: unknown): Promise<string[]> {
  const [listed, searched] = [await list(filter), await search(filter)];
  expect(listed, JSON.stringify(listed.body)).toMatchObject({ status: 200 });
  expect(searched, JSON.stringify(searched.body)).toMatchObject({ status: 200 });
  const names = listed.body.items.map(({ externalId }: Json) => externalId).sort();
  expect(searched.body.results.map(({ memory }: Json) => memory.externalId).sort()).toEqual(names);
  return names;
}

async function expectFound(filter: unknown, names: readonly string[]): Promise<void> {
  expect(await found(filter)).toEqual([...names].sort());
}

const v = (test: Record<string, unknown>) => ({ 'metadata.v': test });
const allBut = (...names: string[]) => Object.keys(memories).filter((name) => !names.includes(name));

describe('operators on metadata values', () => {
  const cases: [string, Record<string, unknown>, string[]][] = [
    ['eq text, with its case', { eq: 'alpha' }, ['lower', 'list']],
    ['eq empty text', { eq: '' }, ['empty']],
    ['eq number', { eq: 5 }, ['five', 'list']],
    ['eq number with a fraction', { eq: 5.5 }, ['half']],
    ['eq text of digits', { eq: '5' }, ['digits']],
    ['eq true', { eq: true }, ['yes', 'list']],
    ['eq false', { eq: false }, ['no']],
    ['eq null', { eq: null }, ['null', 'list']],
    ['eq with 53 bits', { eq: 9007199254740991 }, ['big']],
    ['ne text', { ne: 'alpha' }, allBut('lower', 'list')],
    ['ne number', { ne: 5 }, allBut('five', 'list')],
    ['ne null', { ne: null }, allBut('null', 'list')],
    ['in of mixed types', { in: ['beta', 5, false] }, ['beta', 'five', 'no', 'list', 'texts']],
    ['in with one value', { in: [-3] }, ['minus']],
    ['in with null', { in: [null, 10] }, ['null', 'ten', 'list']],
    ['gt number', { gt: 5 }, ['half', 'ten', 'big']],
    ['gte number', { gte: 5 }, ['five', 'half', 'ten', 'big']],
    ['lt number', { lt: 5 }, ['minus', 'tiny']],
    ['lte number', { lte: 5 }, ['minus', 'tiny', 'five']],
    ['gte a number of 17 digits', { gte: 9007199254740991 }, ['big']],
    ['gt a number of 17 digits', { gt: 9007199254740990 }, ['big']],
    ['lte a number without an exact binary form', { lte: 0.30000000000000004 }, ['minus', 'tiny']],
    ['lt a number without an exact binary form', { lt: 0.30000000000000004 }, ['minus']],
    ['gt text, by code point', { gt: 'alpha' }, ['beta', 'accent', 'greek']],
    ['gte text', { gte: 'alpha' }, ['lower', 'beta', 'accent', 'greek']],
    ['lt text', { lt: 'Alpha' }, ['empty', 'digits']],
    ['lte text', { lte: 'Alpha' }, ['empty', 'digits', 'text']],
    ['a range by two operators', { gt: -3, lt: 10 }, ['tiny', 'five', 'half']],
    ['contains on text, without case', { contains: 'LPH' }, ['text', 'lower']],
    ['contains on text beyond ASCII, without case', { contains: 'éco' }, ['accent']],
    ['contains on text with a sigma at its end', { contains: 'ΣΊΣΥΦΟΣ' }, ['greek']],
    ['contains on text with a sigma elsewhere', { contains: 'σίσυφοσ' }, ['greek']],
    ['contains on a list: the whole member, with its case', { contains: 'beta' }, ['beta', 'texts']],
    ['contains a number, in lists only', { contains: 5 }, ['list']],
    ['contains true', { contains: true }, ['list']],
    ['contains null', { contains: null }, ['list']],
    ['contains the SQL wildcard', { contains: '%' }, []],
  ];

  it.each(cases)('[A5] %s', async (_, test, names) => {
    await expectFound(v(test), names);
  });

  it('[A5] contains with an empty text matches every text', async () => {
    await expectFound(v({ contains: '' }), ['text', 'lower', 'beta', 'empty', 'digits', 'accent', 'greek']);
  });

  it('[A5] a missing field matches only ne and not', async () => {
    const name = 'metadata.nowhere.at.all';
    const everywhere = Object.keys(memories);
    for (const test of [
      { eq: 1 },
      { eq: null },
      { in: [null, 1] },
      { gt: 0 },
      { gte: 0 },
      { lt: 9 },
      { lte: 'z' },
    ]) {
      await expectFound({ [name]: test }, []);
      await expectFound({ not: { [name]: test } }, everywhere);
    }
    await expectFound({ [name]: { contains: '' } }, []);
    await expectFound({ [name]: { ne: 1 } }, everywhere);
    await expectFound({ [name]: { ne: null } }, everywhere);
  });

  it('[A5] paths can be nested and index into lists', async () => {
    await expectFound({ 'metadata.v.inner.deep': { eq: 'alpha' } }, ['object']);
    await expectFound({ 'metadata.v.inner.a-b c': { gte: 1 } }, ['object']);
    await expectFound({ 'metadata.v.inner.deep.deeper': { eq: 'alpha' } }, []);
    await expectFound({ 'metadata.v.inner': { contains: 'alpha' } }, []);
    await expectFound({ 'metadata.v.1': { eq: 'beta' } }, ['texts']);
  });
});

describe('metadata keys with dots', () => {
  const dotted = ['dotted', 'nested'];
  const cases: [string, Record<string, unknown>, string[]][] = [
    ['the literal key where a path finds nothing', { 'metadata.service.name': { eq: 'alpha' } }, ['dotted']],
    ['the path first', { 'metadata.service.name': { eq: 'beta' } }, ['nested']],
    ['a literal key below a path', { 'metadata.labels.service.name': { gte: 5 } }, ['inside']],
    ['several dots', { 'metadata.app.kubernetes.io/name': { contains: 'SHO' } }, ['dotted']],
    ['one of many values', { 'metadata.service.name': { in: ['alpha', 'gamma'] } }, ['dotted']],
    ['not another value', { 'metadata.service.name': { ne: 'alpha' } }, allBut('dotted')],
    ['not a value', { not: { 'metadata.service.name': { eq: 'alpha' } } }, allBut('dotted')],
    ['a key in brackets', { 'metadata["service.name"]': { eq: 'alpha' } }, dotted],
    ['a key in brackets and single quotes', { "metadata['service.name']": { eq: 'alpha' } }, dotted],
    ['a key in brackets is no path', { 'metadata["service.name"]': { eq: 'beta' } }, []],
    ['a key in brackets below a path', { 'metadata.labels["service.name"]': { lt: 6 } }, ['inside']],
    ['a key with a quote', { 'metadata["labels"]["a\\"b"]': { eq: 'quoted' } }, ['inside']],
    ['a range of a dotted number', { 'metadata.labels.service.name': { gt: 1, lt: 6 } }, ['inside']],
  ];

  it.each(cases)('[A5] %s', async (_, filter, names) => {
    await expectFound(filter, names);
  });

  it.each(cases)('[A5] as of a position: %s', async (_, filter, names) => {
    const parameters = new URLSearchParams({ filter: JSON.stringify(filter), asOf: minPosition });
    const listed = await client.get(`/v1/memories?${parameters.toString()}`);
    const body = { query: common, threshold: 0, topK: 1000, filter, asOf: minPosition };
    const searched = await client.post('/v1/search', body);
    const found = [
      listed.body.items.map(({ externalId }: Json) => externalId),
      searched.body.results.map(({ memory }: Json) => memory.externalId),
    ];
    expect(found.map((list) => list.sort())).toEqual([[...names].sort(), [...names].sort()]);
  });

  it.each(['metadata["a"', 'metadata[a]', 'metadata["a"]b', 'metadata.', 'metadata..a', 'metadata["a"].'])(
    '[A5] rejects %s and names it',
    async (name) => {
      const reply = await search({ [name]: { eq: 1 } });
      expect(reply).toMatchObject({ status: 400, body: { code: 'validation-failed' } });
      expect(reply.body.errors[0].path).toBe(`filter.${name}`);
    },
  );
});

describe('and, or and not', () => {
  it('[A5] several keys, or several operators on one field, mean AND', async () => {
    await expectFound({ 'metadata.v': { gt: 0 }, externalId: { in: ['five', 'minus'] } }, ['five']);
    await expectFound({ and: [v({ gt: 0 }), v({ lt: 6 })], externalId: { ne: 'half' } }, ['tiny', 'five']);
  });

  it('[A5] or matches any branch, not negates, and both nest', async () => {
    await expectFound({ or: [v({ eq: 10 }), v({ eq: 'beta' })] }, ['ten', 'beta', 'texts']);
    await expectFound({ not: { or: [v({ eq: 10 }), v({ ne: 10 })] } }, []);
    await expectFound({ not: { and: [v({ gte: 5 }), v({ lte: 5 })] } }, allBut('five'));
    await expectFound({ not: { 'metadata.v': { gte: 5, lte: 5 }, revision: { eq: 0 } } }, allBut('five'));
    await expectFound({ not: { not: v({ eq: true }) } }, ['yes', 'list']);
    await expectFound({ not: v({ ne: 'beta' }) }, ['beta', 'texts']);
    await expectFound({ and: [{ or: [v({ gt: 5 }), v({ lt: 0 })] }, { not: v({ eq: 10 }) }] }, [
      'half',
      'big',
      'minus',
    ]);
  });

  it('[A5] an empty filter matches everything', async () => {
    await expectFound({}, Object.keys(memories));
  });

  it('[A5] 16 levels are accepted and the 17th is rejected', async () => {
    const nested = (levels: number): Record<string, unknown> =>
      levels === 1 ? v({ eq: 10 }) : { and: [nested(levels - 1)] };
    await expectFound(nested(16), ['ten']);
    for (const reply of [await list(nested(17)), await search(nested(17))]) {
      expect(reply).toMatchObject({ status: 400, body: { code: 'validation-failed' } });
      expect(reply.body.errors[0].path).toMatch(/^filter(\.and\.0){16}$/);
      expect(reply.body.errors[0].message).toContain('16');
    }
    const inverted = (levels: number): Record<string, unknown> =>
      levels === 1 ? v({ eq: 10 }) : { not: inverted(levels - 1) };
    expect((await list(inverted(16))).status).toBe(200);
    expect((await list(inverted(17))).status).toBe(400);
  });

  it('[A5] random filters give the same result as an in-memory evaluation', async () => {
    const scalar = fc.constantFrom('alpha', 'Alpha', 'beta', '', '5', 5, 5.5, 10, -3, true, false, null);
    const ordered = fc.constantFrom('alpha', 'Alpha', 'b', '', 5, 5.5, 10, -3, 0.3);
    const test = fc.oneof(
      fc.record({ eq: scalar }),
      fc.record({ ne: scalar }),
      fc.record({ contains: scalar }),
      fc.record({ in: fc.array(scalar, { minLength: 1, maxLength: 4 }) }),
      ...['gt', 'gte', 'lt', 'lte'].map((operator) => ordered.map((value) => ({ [operator]: value }))),
    );
    const field = fc.constantFrom(
      'metadata.v',
      'metadata.v.inner.deep',
      'metadata.other',
      'metadata.service.name',
      'metadata["service.name"]',
      'externalId',
      'revision',
    );
    const { filter } = fc.letrec<{ filter: FilterJson }>((tie) => ({
      filter: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.tuple(field, test).map(([name, condition]) => ({ [name]: condition })),
        fc.record({ not: tie('filter') }),
        fc.record({ and: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }),
        fc.record({ or: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }),
      ),
    }));
    const listed = (await list({})).body.items as Record<string, unknown>[];
    await fc.assert(
      fc.asyncProperty(filter, async (candidate) => {
        const expected = listed.filter((memory) => matches(candidate, memory));
        expect(await found(candidate)).toEqual(expected.map(({ externalId }) => externalId as string).sort());
      }),
      { numRuns: 150 },
    );
  });
});
