/** A sparse vector of unit length or zero, by term. */
export type TermVector = ReadonlyMap<string, number>;

/** Cosine of two vectors of unit length. */
export function cosine(left: TermVector, right: TermVector): number {
  const [small, large] = left.size <= right.size ? [left, right] : [right, left];
  let sum = 0;
  for (const [term, weight] of small) sum += weight * (large.get(term) ?? 0);
  return sum;
}

/** The vector scaled to unit length. */
export function normalized(vector: TermVector): TermVector {
  let squares = 0;
  for (const weight of vector.values()) squares += weight * weight;
  const length = Math.sqrt(squares);
  if (length === 0) return vector;
  return new Map([...vector].map(([term, weight]) => [term, weight / length]));
}

/** Sum of vectors, each times its weight. */
export function weightedSum(
  vectors: Iterable<readonly [vector: TermVector, weight: number]>,
): ReadonlyMap<string, number> {
  const sum = new Map<string, number>();
  for (const [vector, weight] of vectors)
    for (const [term, value] of vector) sum.set(term, (sum.get(term) ?? 0) + weight * value);
  return sum;
}

/** Term frequencies, dampened, times the rarity of each term among the texts. Unit length. */
export function termVectors(counts: readonly ReadonlyMap<string, number>[]): TermVector[] {
  const inTexts = new Map<string, number>();
  for (const one of counts) for (const term of one.keys()) inTexts.set(term, (inTexts.get(term) ?? 0) + 1);
  return counts.map((one) =>
    normalized(
      new Map(
        [...one].map(([term, count]) => [
          term,
          (1 + Math.log(count)) * Math.log(1 + counts.length / inTexts.get(term)!),
        ]),
      ),
    ),
  );
}
