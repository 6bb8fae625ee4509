import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isVisible, visible } from '../../src/domain/access/visibility.ts';
import { occurredOrCreated, timeFilter } from '../../src/domain/build-filter.ts';
import { parseFilter } from '../../src/domain/filter.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { layers, type Scope } from '../../src/domain/layers.ts';
import {
  keyListsOf,
  postingsOf,
  type Filed,
  type LookupConditions,
} from '../../src/domain/retrieval/postings.ts';
import { matches, type FilterJson } from '../support/filter-oracle.ts';

const word = fc.constantFrom('a', 'b', 'c');
const number = fc.oneof(
  fc.constantFrom(1, 0, -0, 1.5, 1e21, -1e21, 5e-324),
  fc.integer({ min: -5, max: 5 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const scalar = fc.oneof(word, fc.constantFrom('', '1', true, false, null), number);
const metadataOf = fc.letrec<{ value: unknown; object: JsonObject }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, scalar, fc.array(tie('value'), { maxLength: 3 }), tie('object')),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'a.b', 'b.a', 'a.b.a', '0', '1'), tie('value'), {
    maxKeys: 3,
    noNullPrototype: true,
  }) as fc.Arbitrary<JsonObject>,
}));

const scope = fc.record(
  { org: word, team: word, project: word, session: word, user: word, agent: word },
  { requiredKeys: [] },
) as fc.Arbitrary<Scope>;

/** Scopes always contain the identifier of the memory's own layer. */
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
const bracketed = fc.constantFrom('metadata["a.b"]', 'metadata.a["b.a"]', 'metadata["a.b"].a');
const field = fc.oneof(
  path,
  bracketed,
  fc.constantFrom('tags', 'spaces', 'layer', 'scope.team', 'scope.user'),
);
const test = fc.oneof(
  fc.record({ eq: scalar }),
  fc.record({ ne: scalar }),
  fc.record({ contains: scalar }),
  fc.record({ in: fc.array(scalar, { minLength: 1, maxLength: 3 }) }),
  fc.record({ gte: word }),
  fc.record({ gt: number }),
  fc.record({ lte: number }),
  fc.record({ gte: number, lt: number }),
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

function found(memory: Filed, narrowed: LookupConditions): boolean {
  const filed = postingsOf(memory);
  return keyListsOf(narrowed).every(
    ({ keys, ranges }) =>
      keys.some((key) => filed.has(key)) ||
      ranges.some(({ from, to }) =>
        [...filed].some((key) => BigInt(key) >= BigInt(from) && BigInt(key) <= BigInt(to)),
      ),
  );
}

/** The memory as callers receive it. JSON has no negative zero. */
const shown = (memory: Filed) =>
  ({ ...(JSON.parse(JSON.stringify(memory)) as object), createdAt: memory.createdAt }) as Filed;

describe('the keys of a memory', () => {
  it('[A5] include those looked up by any filter that the memory passes', () => {
    fc.assert(
      fc.property(filed, filter, (memory, condition) => {
        fc.pre(matches(condition, shown(memory) as unknown as Record<string, unknown>));
        expect(found(shown(memory), { filter: parseFilter(condition) })).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('[A7] include those looked up by any caller who may see the memory, in any scope and layers', () => {
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
    const request = fc.record({
      layers: fc.option(fc.uniqueArray(fc.constantFrom(...layers), { minLength: 1 }), { nil: undefined }),
      scope,
    });
    fc.assert(
      fc.property(filed, caller, request, (memory, { role, ...who }, where) => {
        const visibility = visible({ tenant: 't', principal: 'p', roles: [role], ...who } as never);
        const inScope = Object.entries(where.scope).every(([key, value]) => {
          const own = memory.scope[key as keyof Scope];
          return own === undefined || own === value;
        });
        fc.pre(isVisible(visibility, memory) && inScope && (where.layers?.includes(memory.layer) ?? true));
        const region = { visibility, scope: where.scope, ...(where.layers && { layers: where.layers }) };
        expect(found(memory, { region })).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('[A5] distinguish values by type, path and field', () => {
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
    const asFilter = ({ from, until }: { from: Date; until: Date }) => ({
      from: from.toISOString(),
      until: until.toISOString(),
    });
    /** Closer times have the same key in our days. */
    const apart = 18 * 60_000;
    const lies = (time: Date | undefined, { from, until }: { from: Date; until: Date }) =>
      time !== undefined && time >= from && time < until;

    it('[A8] finds what occurred then, and what was created then without a time of its own', () => {
      fc.assert(
        fc.property(memory, limits, (at, within) => {
          fc.pre(lies(at.occurredAt ?? at.createdAt, within));
          expect(found(filedAt(at), { filter: occurredOrCreated(asFilter(within)) })).toBe(true);
          if (at.occurredAt)
            expect(found(filedAt(at), { filter: timeFilter('occurredAt', asFilter(within)) })).toBe(true);
        }),
        { numRuns: 2_000 },
      );
    });

    it('[A8] excludes other times', () => {
      fc.assert(
        fc.property(memory, limits, (at, within) => {
          const time = at.occurredAt ?? at.createdAt;
          fc.pre(+time < +within.from - apart || +time >= +within.until + apart);
          expect(found(filedAt(at), { filter: occurredOrCreated(asFilter(within)) })).toBe(false);
          expect(found(filedAt(at), { filter: timeFilter('occurredAt', asFilter(within)) })).toBe(false);
        }),
        { numRuns: 2_000 },
      );
    });

    it('[A5] finds what was created then, whatever its own time', () => {
      fc.assert(
        fc.property(memory, limits, (at, within) => {
          fc.pre(lies(at.createdAt, within));
          const { from, until } = asFilter(within);
          for (const limit of [{ from }, { until }, { from, until }])
            expect(found(filedAt(at), { filter: timeFilter('createdAt', limit) })).toBe(true);
        }),
        { numRuns: 2_000 },
      );
    });

    it('[A5] excludes what neither occurred nor was created then', () => {
      fc.assert(
        fc.property(memory, limits, (at, within) => {
          const times = [at.createdAt, ...(at.occurredAt ? [at.occurredAt] : [])];
          fc.pre(times.every((time) => +time < +within.from - apart || +time >= +within.until + apart));
          expect(found(filedAt(at), { filter: timeFilter('createdAt', asFilter(within)) })).toBe(false);
        }),
        { numRuns: 2_000 },
      );
    });

    it.each([
      ['any other time', { occurredAt: { ne: '2023-05-01' } }],
      ['no time', { occurredAt: { gte: 'May' } }],
      ['the time of the last change', { updatedAt: { gte: '2023-05-01' } }],
    ])('[A5] does not narrow a filter on %s', (_, json) => {
      expect(keyListsOf({ filter: parseFilter(json) })).toEqual([]);
    });

    it('[A5] accepts all notations of times, with one bound or both', () => {
      const at = { occurredAt: new Date('2023-05-07T12:00:00.000Z'), createdAt: new Date(0) };
      const asks = (json: FilterJson) => found(filedAt(at), { filter: parseFilter(json) });
      expect(asks({ occurredAt: { gte: '2023-05-07', lt: '2023-05-08' } })).toBe(true);
      expect(asks({ occurredAt: { gte: '2023-05' } })).toBe(true);
      expect(asks({ occurredAt: { lt: '2023-06' } })).toBe(true);
      expect(
        asks({ occurredAt: { gte: '2023-05-07T14:00:00+02:00', lte: '2023-05-07T15:00:00+02:00' } }),
      ).toBe(true);
      expect(asks({ occurredAt: { eq: '2023-05-07T12:00:00Z' } })).toBe(true);
      expect(asks({ occurredAt: { gte: '2023-05-08' } })).toBe(false);
      expect(asks({ occurredAt: { lt: '2023-05-07' } })).toBe(false);
      expect(
        asks({ and: [{ occurredAt: { gte: '2023-05-06' } }, { occurredAt: { lt: '2023-05-07' } }] }),
      ).toBe(false);
    });
  });

  describe('of a number', () => {
    const filedWith = (value: number): Filed => ({
      layer: 'company',
      scope: {},
      spaces: [],
      tags: [],
      metadata: { size: { height: value } },
      createdAt: new Date(0),
    });
    const asks = (value: number, test: FilterJson) =>
      found(filedWith(value), { filter: parseFilter({ 'metadata.size.height': test }) });

    it('[A5] exclude numbers that differ by a millionth or more', () => {
      const finite = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 });
      fc.assert(
        fc.property(finite, finite, (value, limit) => {
          fc.pre(Math.abs(value - limit) > 1e-6 * Math.max(Math.abs(value), Math.abs(limit)));
          // Subnormal numbers have fewer digits.
          fc.pre(Math.abs(value) > 1e-300 || Math.abs(limit) > 1e-300);
          expect(asks(value, { gte: limit })).toBe(value > limit);
          expect(asks(value, { lt: limit })).toBe(value < limit);
        }),
        { numRuns: 2_000 },
      );
    });

    it('[A5] share one list for both bounds, and belong to one field', () => {
      expect(keyListsOf({ filter: parseFilter({ 'metadata.a': { gt: 1, lt: 5 } }) })).toHaveLength(1);
      expect(asks(3, { gt: 1, lt: 5 })).toBe(true);
      expect(asks(7, { gt: 1, lt: 5 })).toBe(false);
      expect(found(filedWith(3), { filter: parseFilter({ 'metadata.height': { gt: 1 } }) })).toBe(false);
    });

    it('[A5] do not narrow a filter with very many ranges', () => {
      const or = (count: number) => Array.from({ length: count }, (_, n) => ({ 'metadata.a': { gt: n } }));
      expect(keyListsOf({ filter: parseFilter({ or: or(10) }) })).toHaveLength(1);
      expect(keyListsOf({ filter: parseFilter({ or: or(100) }) })).toEqual([]);
    });
  });

  it('[A5] are limited for large metadata, which is found nevertheless', () => {
    const metadata = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, n]));
    const createdAt = new Date(0);
    const memory: Filed = { layer: 'company', scope: {}, spaces: [], tags: [], metadata, createdAt };
    expect(postingsOf(memory).size).toBeLessThan(10);
    expect(found(memory, { filter: parseFilter({ 'metadata.k4321': { eq: 4321 } }) })).toBe(true);
    expect(found(memory, { filter: parseFilter({ 'metadata.k4321': { gt: 4320 } }) })).toBe(true);
  });
});
