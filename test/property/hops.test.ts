import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginPath, endOf, extendPath, type Path } from '../../src/domain/hops/path.ts';
import { BestPaths } from '../../src/domain/hops/best-paths.ts';
import { SupersessionGraph } from '../../src/domain/links/supersession-graph.ts';

const id = fc.integer({ min: 0, max: 11 }).map((n) => `m${String(n).padStart(2, '0')}`);
const score = fc.double({ min: 0, max: 1, noNaN: true });
const link = fc.record({ from: id, to: id, score });
const starts = fc.uniqueArray(fc.record({ memoryId: id, score }), { selector: (one) => one.memoryId });

interface World {
  readonly begun: readonly { readonly memoryId: string; readonly score: number }[];
  readonly links: readonly { readonly from: string; readonly to: string; readonly score: number }[];
  readonly threshold: number;
  readonly depth: number;
}

const world: fc.Arbitrary<World> = fc.record({
  begun: starts,
  links: fc.array(link, { maxLength: 40 }),
  threshold: score,
  depth: fc.integer({ min: 1, max: 3 }),
});

/** Extends paths like a run, without searches. */
function walk({ begun, links, threshold, depth }: World): Path[] {
  const paths = new BestPaths(threshold);
  for (const start of begun) paths.add(beginPath({ via: 'search', ...start }));
  for (let hop = 1; hop <= depth; hop++) {
    for (const path of paths.next(Infinity)) {
      for (const { from, to, score: confidence } of links) {
        if (from !== endOf(path)) continue;
        const step = { via: 'link', type: 'related', direction: 'outgoing' } as const;
        const longer = extendPath(path, { ...step, memoryId: to, score: confidence });
        if (longer) paths.add(longer);
      }
    }
  }
  return paths.best(Infinity);
}

describe('[D-8] paths', () => {
  it('have the product of their step scores as relevance, at least the threshold, and each memory once', () => {
    fc.assert(
      fc.property(world, (given) => {
        const best = walk(given);
        expect(new Set(best.map(endOf)).size).toBe(best.length);
        for (const { steps, relevance } of best) {
          expect(relevance).toBeCloseTo(
            steps.reduce((product, one) => product * one.score, 1),
            12,
          );
          expect(relevance).toBeGreaterThanOrEqual(given.threshold);
          expect(steps.length).toBeLessThanOrEqual(given.depth + 1);
          expect(new Set(steps.map(({ memoryId }) => memoryId)).size).toBe(steps.length);
        }
      }),
    );
  });

  it('are ranked after every memory that they pass through', () => {
    fc.assert(
      fc.property(world, (given) => {
        const best = walk(given);
        const places = new Map(best.map((path, index) => [endOf(path), index]));
        for (const [index, { steps }] of best.entries())
          for (const { memoryId } of steps) expect(places.get(memoryId)).toBeLessThanOrEqual(index);
      }),
    );
  });

  it('that are found with a threshold are also found with a lower one', () => {
    fc.assert(
      fc.property(world, score, (given, other) => {
        const [low, high] = [Math.min(given.threshold, other), Math.max(given.threshold, other)];
        const found = new Set(walk({ ...given, threshold: low }).map(endOf));
        for (const path of walk({ ...given, threshold: high })) expect(found).toContain(endOf(path));
      }),
    );
  });
});

describe('[A14] the newest version of a memory', () => {
  const links = fc.array(fc.record({ source: id, target: id, confidence: score }), { maxLength: 40 });

  it('is at the end of a chain: nothing supersedes it, and links lead to it', () => {
    fc.assert(
      fc.property(links, id, (given, older) => {
        const supersessions = new SupersessionGraph(given);
        const newest = supersessions.newest(older);
        if (newest === undefined) return;
        expect(given.some(({ target }) => target === newest)).toBe(false);
        let at = older;
        for (const step of supersessions.chains(older).get(newest)!) {
          expect(step.target).toBe(at);
          at = step.source;
        }
        expect(at).toBe(newest);
      }),
    );
  });

  it('exists unless nothing supersedes the memory or every chain is a cycle', () => {
    fc.assert(
      fc.property(links, id, (given, older) => {
        const acyclic = given.filter(({ source, target }) => source > target);
        const isSuperseded = acyclic.some(({ target }) => target === older);
        expect(new SupersessionGraph(acyclic).newest(older) !== undefined).toBe(isSuperseded);
      }),
    );
  });
});
