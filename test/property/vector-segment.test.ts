import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Segment } from '../../src/adapters/flat/segment.ts';
import { randomOf } from '../support/random.ts';

type Numbers = Float32Array;

function unit(numbers: Numbers): Numbers {
  const length = Math.hypot(...numbers);
  return numbers.map((number) => number / (length || 1));
}

/** Vectors clustered around some directions, all leaning to one side like the vectors of a model. */
function clustered(count: number, dimension: number, seed: number): readonly Numbers[] {
  const generator = randomOf(seed);
  const random = () => generator.next();
  const normal = () => random() + random() + random() + random() - 2;
  const draw = () => Float32Array.from({ length: dimension }, normal);
  const lean = draw();
  const topics = Array.from({ length: 200 }, draw);
  return Array.from({ length: count }, () => {
    const topic = topics[Math.floor(random() * topics.length)]!;
    return unit(draw().map((number, at) => number + topic[at]! + lean[at]!));
  });
}

function cosine(left: Numbers, right: Numbers): number {
  return left.reduce((sum, number, at) => sum + number * right[at]!, 0);
}

function nearestOf(vectors: ReadonlyMap<string, Numbers>, query: Numbers): readonly [string, number][] {
  return [...vectors]
    .map(([id, vector]): [string, number] => [id, cosine(query, vector)])
    .sort(([, left], [, right]) => right - left);
}

const change = fc.record({ id: fc.nat(40).map(String), seed: fc.nat(1_000), isRemoved: fc.boolean() });

it.each([5, 16, 384, 1_000])(
  '[A5] vectors of %i numbers are compared after any sequence of puts, replacements and removals',
  (dimension) => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 120 }), fc.nat(), (changes, seed) => {
        const segment = new Segment(dimension);
        const vectors = new Map<string, Numbers>();
        for (const { id, seed, isRemoved } of changes) {
          const [vector] = clustered(1, dimension, seed);
          if (isRemoved) segment.remove(id);
          else segment.put(id, vector!);
          if (isRemoved) vectors.delete(id);
          else vectors.set(id, vector!);
        }
        expect(segment.size).toBe(vectors.size);
        const [query] = clustered(1, dimension, seed);
        const exact = nearestOf(vectors, query!);
        const found = segment.nearest(query!, 50);
        expect(found.map(({ id }) => id).sort()).toEqual([...vectors.keys()].sort());
        const cosines = segment.cosines(query!, [...exact.map(([id]) => id), 'none']);
        for (const [at, [, value]] of exact.entries()) {
          expect(found[at]!.cosine).toBeCloseTo(value, 4);
          expect(cosines[at]).toBeCloseTo(value, 4);
        }
        expect(cosines.at(-1)).toBeNull();
      }),
      { numRuns: 30 },
    );
  },
);

it('[A5] the nearest of many vectors are found', () => {
  // More than one block of the kernel.
  const [count, dimension] = [21_000, 128];
  const vectors = new Map(clustered(count, dimension, 7).map((vector, at) => [String(at), vector]));
  const segment = new Segment(dimension);
  for (const [id, vector] of vectors) segment.put(id, vector);
  const queries = clustered(20, dimension, 7).map((vector, at) =>
    unit(vector.map((number) => number + (at % 5) * 0.01)),
  );
  for (const query of queries) {
    const exact = nearestOf(vectors, query).slice(0, 50);
    const found = segment.nearest(query, 50);
    // Compare cosines up to the rounding of the codes, because two vectors may be equally near.
    for (const [at, [, value]] of exact.entries()) expect(found[at]!.cosine).toBeCloseTo(value, 4);
  }
});
