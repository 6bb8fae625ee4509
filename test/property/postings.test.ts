import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isVisible, visible } from '../../src/domain/access/visibility.ts';
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
const shown = (memory: Filed) => JSON.parse(JSON.stringify(memory)) as Filed;

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
    });
    const asks = (json: FilterJson) => ({ filter: parseFilter(json) });
    expect(found(memory({ a: '1' }), asks({ 'metadata.a': { eq: '1' } }))).toBe(true);
    expect(found(memory({ a: '1' }), asks({ 'metadata.a': { eq: 1 } }))).toBe(false);
    expect(found(memory({ a: { b: 1 } }), asks({ 'metadata.a': { eq: 1 } }))).toBe(false);
    expect(found(memory({ tags: 'x' }), asks({ tags: { eq: 'x' } }))).toBe(false);
    expect(found(memory({}, ['x']), { spaces: ['x'] })).toBe(false);
    expect(found(memory({}, ['x']), { tags: ['y', 'x'] })).toBe(true);
  });

  it('[A5] stay few where metadata are many, and are found all the same', () => {
    const metadata = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, n]));
    const memory: Filed = { layer: 'company', scope: {}, spaces: [], tags: [], metadata };
    expect(postingsOf(memory).size).toBeLessThan(10);
    expect(found(memory, { filter: parseFilter({ 'metadata.k4321': { eq: 4321 } }) })).toBe(true);
  });
});
