import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isVisible, visible } from '../../src/domain/access/visibility.ts';
import { occurredOrRecorded, timeFilter } from '../../src/domain/build-filter.ts';
import { parseFilter } from '../../src/domain/filter.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { layers, type Scope } from '../../src/domain/layers.ts';
import { lookupsOf, postingsOf, type Filed, type Narrowed } from '../../src/domain/retrieval/postings.ts';
import { matches, type FilterJson } from '../support/filter-oracle.ts';

const word = fc.constantFrom('a', 'b', 'c');
const scalar = fc.oneof(word, fc.constantFrom('', '1', 1, 0, -0, 1.5, 1e21, true, false, null));
const metadataOf = fc.letrec<{ value: unknown; object: JsonObject }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, scalar, fc.array(tie('value'), { maxLength: 3 }), tie('object')),
  object: fc.dictionary(fc.constantFrom('a', 'b', '0', '1'), tie('value'), {
    maxKeys: 3,
    noNullPrototype: true,
  }) as fc.Arbitrary<JsonObject>,
}));

const scope = fc.record(
  { org: word, team: word, project: word, session: word, user: word, agent: word },
  { requiredKeys: [] },
) as fc.Arbitrary<Scope>;

/** A memory has the identifier of its own layer. */
const filed: fc.Arbitrary<Filed> = fc
  .record({
    place: fc.tuple(fc.constantFrom(...layers), scope, word),
    spaces: fc.array(word, { maxLength: 2 }),
    tags: fc.array(word, { maxLength: 2 }),
    metadata: metadataOf.object,
    createdAt: fc.constant(new Date(0)),
  })
  .map(({ place: [layer, others, own], ...rest }) => ({
    ...rest,
    layer,
    scope: layer === 'company' ? others : { ...others, [layer]: own },
  }));

const path = fc
  .array(fc.constantFrom('a', 'b', '0', '1'), { minLength: 1, maxLength: 3 })
  .map((keys) => `metadata.${keys.join('.')}`);
const field = fc.oneof(path, fc.constantFrom('tags', 'spaces', 'layer', 'scope.team', 'scope.user'));
const test = fc.oneof(
  fc.record({ eq: scalar }),
  fc.record({ ne: scalar }),
  fc.record({ contains: scalar }),
  fc.record({ in: fc.array(scalar, { minLength: 1, maxLength: 3 }) }),
  fc.record({ gte: word }),
);
const { filter } = fc.letrec<{ filter: FilterJson }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(field, test).map(([name, condition]) => ({ [name]: condition })),
    tie('filter').map((not) => ({ not })),
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('filter'), { minLength: 1, maxLength: 3 }))
      .map(([key, parts]) => ({ [key]: parts })),
  ),
}));

function found(memory: Filed, narrowed: Narrowed): boolean {
  const keys = postingsOf(memory);
  return lookupsOf(narrowed).every((anyOf) => anyOf.some((key) => keys.has(key)));
}

/** As a caller sees it: JSON knows no minus zero. */
const shown = (memory: Filed) =>
  ({ ...(JSON.parse(JSON.stringify(memory)) as object), createdAt: memory.createdAt }) as Filed;

describe('the keys of a memory', () => {
  it('[A5] are among those that any filter looks up which it passes', () => {
    fc.assert(
      fc.property(filed, filter, (memory, asked) => {
        fc.pre(matches(asked, shown(memory) as unknown as Record<string, unknown>));
        expect(found(shown(memory), { filter: parseFilter(asked) })).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('[A7] are among those that any caller looks up who may see it, in any scope and layers it is in', () => {
    const roles = fc.constantFrom('member', 'reader', 'admin');
    const some = fc.array(word, { maxLength: 2 });
    const caller = fc.record({
      role: roles,
      user: word,
      agent: word,
      orgs: some,
      teams: some,
      projects: some,
      sessions: some,
      agents: some,
    });
    const asked = fc.record({
      layers: fc.option(fc.uniqueArray(fc.constantFrom(...layers), { minLength: 1 }), { nil: undefined }),
      scope,
    });
    fc.assert(
      fc.property(filed, caller, asked, (memory, { role, ...who }, where) => {
        const visibility = visible({ tenant: 't', principal: 'p', roles: [role], ...who } as never);
        const inScope = Object.entries(where.scope).every(([key, value]) => {
          const own = memory.scope[key as keyof Scope];
          return own === undefined || own === value;
        });
        fc.pre(isVisible(visibility, memory) && inScope && (where.layers?.includes(memory.layer) ?? true));
        const region = { visibility, scope: where.scope, ...(where.layers && { layers: where.layers }) };
        expect(found(memory, { region })).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('[A5] tell values apart: by text and number, by place, by field', () => {
    const memory = (metadata: JsonObject, tags: string[] = []): Filed => ({
      layer: 'company',
      scope: {},
      spaces: [],
      tags,
      metadata,
      createdAt: new Date(0),
    });
    const asks = (json: FilterJson) => ({ filter: parseFilter(json) });
    expect(found(memory({ a: '1' }), asks({ 'metadata.a': { eq: '1' } }))).toBe(true);
    expect(found(memory({ a: '1' }), asks({ 'metadata.a': { eq: 1 } }))).toBe(false);
    expect(found(memory({ a: { b: 1 } }), asks({ 'metadata.a': { eq: 1 } }))).toBe(false);
    expect(found(memory({ tags: 'x' }), asks({ tags: { eq: 'x' } }))).toBe(false);
    expect(found(memory({}, ['x']), { spaces: ['x'] })).toBe(false);
    expect(found(memory({}, ['x']), { tags: ['y', 'x'] })).toBe(true);
  });

  describe('of a time', () => {
    const noon = Date.parse('2023-05-07T12:00:00Z');
    const hour = 3_600_000;
    const instant = fc
      .integer({ min: -200 * 24, max: 200 * 24 })
      .map((hours) => new Date(noon + hours * hour));
    const memory = fc.record({ occurredAt: fc.option(instant, { nil: undefined }), createdAt: instant });
    const filedAt = (at: { occurredAt: Date | undefined; createdAt: Date }): Filed => ({
      layer: 'company',
      scope: {},
      spaces: [],
      tags: [],
      metadata: {},
      occurredAt: at.occurredAt?.toISOString(),
      createdAt: at.createdAt,
    });
    const limits = fc
      .record({ from: instant, hours: fc.integer({ min: 1, max: 100 * 24 }) })
      .map(({ from, hours }) => ({ from, until: new Date(+from + hours * hour) }));
    const told = ({ from, until }: { from: Date; until: Date }) => ({
      from: from.toISOString(),
      until: until.toISOString(),
    });
    const lies = (time: Date | undefined, { from, until }: { from: Date; until: Date }) =>
      time !== undefined && time >= from && time < until;

    it('[A8] finds what occurred then, and what was recorded then and does not tell', () => {
      fc.assert(
        fc.property(memory, limits, (at, within) => {
          fc.pre(lies(at.occurredAt ?? at.createdAt, within));
          expect(found(filedAt(at), { filter: occurredOrRecorded(told(within)) })).toBe(true);
          if (at.occurredAt)
            expect(found(filedAt(at), { filter: timeFilter('occurredAt', told(within)) })).toBe(true);
        }),
        { numRuns: 2_000 },
      );
    });

    it('[A8] leaves out what is of another day', () => {
      fc.assert(
        fc.property(memory, limits, (at, within) => {
          const time = at.occurredAt ?? at.createdAt;
          const day = 24 * hour;
          fc.pre(+time < +within.from - day || +time >= +within.until + day);
          fc.pre(+within.until - +within.from <= 90 * day);
          expect(found(filedAt(at), { filter: occurredOrRecorded(told(within)) })).toBe(false);
          expect(found(filedAt(at), { filter: timeFilter('occurredAt', told(within)) })).toBe(false);
        }),
        { numRuns: 2_000 },
      );
    });

    it.each([
      ['no end', { occurredAt: { gte: '2023-05-01' } }],
      ['more than a quarter', { occurredAt: { gte: '2023-01-01', lt: '2024-01-01' } }],
      ['when it was recorded, whatever it tells', { createdAt: { gte: '2023-05-01', lt: '2023-06-01' } }],
      ['any other time', { occurredAt: { ne: '2023-05-01' } }],
    ])('[A5] narrows nothing where a filter names %s', (_, json) => {
      expect(lookupsOf({ filter: parseFilter(json) })).toEqual([]);
    });

    it('[A5] takes the days of a filter as they are written', () => {
      const at = { occurredAt: new Date('2023-05-07T23:59:59.999Z'), createdAt: new Date(0) };
      const asks = (json: FilterJson) => found(filedAt(at), { filter: parseFilter(json) });
      expect(asks({ occurredAt: { gte: '2023-05-07', lt: '2023-05-08' } })).toBe(true);
      expect(asks({ occurredAt: { gte: '2023-05', lt: '2023-06' } })).toBe(true);
      expect(
        asks({ occurredAt: { gte: '2023-05-08T01:00:00+02:00', lte: '2023-05-08T02:00:00+02:00' } }),
      ).toBe(true);
      expect(asks({ occurredAt: { eq: '2023-05-07T23:59:59.999Z' } })).toBe(true);
      expect(asks({ occurredAt: { gte: '2023-05-08', lt: '2023-05-09' } })).toBe(false);
      expect(
        asks({ and: [{ occurredAt: { gte: '2023-05-06' } }, { occurredAt: { lt: '2023-05-07' } }] }),
      ).toBe(false);
    });
  });

  it('[A5] stay few where metadata are many, and are found all the same', () => {
    const metadata = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, n]));
    const createdAt = new Date(0);
    const memory: Filed = { layer: 'company', scope: {}, spaces: [], tags: [], metadata, createdAt };
    expect(postingsOf(memory).size).toBeLessThan(10);
    expect(found(memory, { filter: parseFilter({ 'metadata.k4321': { eq: 4321 } }) })).toBe(true);
  });
});
