import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layers, precedence, scopeKeys } from '../../src/domain/layers.ts';
import { successorsFirst } from '../../src/domain/links/successors-first.ts';
import { byPrecedence, namedFirst, type Ranked } from '../../src/domain/ranking/precedence-order.ts';
import { logOdds } from '../../src/domain/ranking/score-scale.ts';
import { BGE_SMALL, UNKNOWN_MODEL } from '../../src/domain/ranking/scales.ts';

interface Item extends Ranked {
  readonly id: number;
}

const name = fc.option(fc.constantFrom('a', 'b'), { nil: undefined });
const scope = fc
  .record(Object.fromEntries(scopeKeys.map((key) => [key, name])))
  .map((given) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)));
const vector = fc
  .double({ min: 0, max: Math.PI / 2, noNaN: true })
  .map((angle) => Float32Array.of(Math.cos(angle), Math.sin(angle)));
const ranked = fc.record({
  relevance: fc.double({ min: 0.001, max: 0.999, noNaN: true }),
  layer: fc.constantFrom(...layers),
  scope,
  time: fc.integer({ min: 0, max: 5 }),
  substance: fc.record({
    vector: fc.option(vector, { nil: undefined }),
    terms: fc.uniqueArray(fc.constantFrom('port', 'pier', 'ferry', 'noon')).map((terms) => new Set(terms)),
  }),
});
const items: fc.Arbitrary<readonly Item[]> = fc
  .array(ranked, { maxLength: 30 })
  .map((all) =>
    all.toSorted((left, right) => right.relevance - left.relevance).map((one, id) => ({ ...one, id })),
  );
const scale = fc.constantFrom(BGE_SMALL, UNKNOWN_MODEL);
const order = (given: readonly Item[], by = BGE_SMALL) => byPrecedence(given, (item) => item, by);

/** Whether precedence may place the first of two results before the second. */
function mayPrecede(one: Item, other: Item): boolean {
  const isFirst = precedence(one.layer) - precedence(other.layer) || (one.time > other.time ? -1 : 1);
  const agrees = scopeKeys.every((key) => {
    const values = [one.scope[key], other.scope[key]];
    return values.includes(undefined) || values[0] === values[1];
  });
  return isFirst < 0 && agrees && logOdds(other.relevance) - logOdds(one.relevance) <= 2.5;
}

describe('the order by precedence', () => {
  it('[A5] [D4] is a permutation, and the same each time', () => {
    fc.assert(
      fc.property(items, scale, (given, by) => {
        const ordered = order(given, by);
        expect(ordered.map(({ id }) => id).sort((a, b) => a - b)).toEqual(given.map(({ id }) => id));
        expect(order(given, by)).toEqual(ordered);
      }),
    );
  });

  it('[D4] moves a result only ahead of one that it may precede, and of others that were moved ahead of that one', () => {
    fc.assert(
      fc.property(items, scale, (given, by) => {
        const ordered = order(given, by);
        for (const [at, item] of ordered.entries()) {
          const after = ordered.slice(at + 1);
          if (after.every((other) => other.id > item.id)) continue;
          // The overtaken results may be others that were moved in front of the same one.
          expect(after.some((other) => mayPrecede(item, other))).toBe(true);
        }
      }),
    );
  });

  it('[D4] prefers memories of a named place by less than .01 of a score', () => {
    fc.assert(
      fc.property(items, scope, (given, requested) => {
        const ordered = namedFirst(given, (item) => item, requested);
        expect(ordered.map(({ id }) => id).sort((a, b) => a - b)).toEqual(given.map(({ id }) => id));
        for (const [at, item] of ordered.entries())
          for (const other of ordered.slice(at + 1))
            expect(logOdds(other.relevance) - logOdds(item.relevance)).toBeLessThan(0.31);
      }),
    );
  });

  it('[D4] keeps the order of results in places that exclude each other', () => {
    fc.assert(
      fc.property(items, (given) => {
        const apart = given.map((item) => ({
          ...item,
          layer: 'user' as const,
          scope: { user: `u${item.id}` },
        }));
        expect(order(apart)).toEqual(apart);
      }),
    );
  });

  it('[D4] keeps the order of results that share no word and mean different things', () => {
    fc.assert(
      fc.property(items, (given) => {
        const different = given.map((item) => {
          const numbers = new Float32Array(given.length);
          numbers[item.id] = 1;
          return { ...item, substance: { vector: numbers, terms: new Set([`${item.id}`]) } };
        });
        expect(order(different)).toEqual(different);
      }),
    );
  });

  it('[A14] leaves no predecessor before its successor, when superseded results follow their successors', () => {
    fc.assert(
      fc.property(items, fc.array(fc.tuple(fc.nat(29), fc.nat(29))), (given, links) => {
        const newest = new Map(links.filter(([from, to]) => from < to).map(([from, to]) => [from, to]));
        const endOf = (id: number): number => (newest.has(id) ? endOf(newest.get(id)!) : id);
        const ordered = successorsFirst(
          order(given),
          ({ id }) => `${id}`,
          (id) => (newest.has(Number(id)) ? `${endOf(Number(id))}` : undefined),
        ).map(({ id }) => id);
        for (const id of ordered)
          if (newest.has(id) && ordered.includes(endOf(id)))
            expect(ordered.indexOf(endOf(id))).toBeLessThan(ordered.indexOf(id));
      }),
    );
  });
});
