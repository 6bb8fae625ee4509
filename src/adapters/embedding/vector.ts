/**
 * Scales a vector to Euclidean length 1. The length is computed in double precision, so that it is exact to the last
 * bits of float32. Throws RangeError for a vector without a direction (all zero, or not finite).
 */
export function unitVector(values: ArrayLike<number>): Float32Array {
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += (values[i] ?? Number.NaN) ** 2;
  const length = Math.sqrt(squares);
  if (!(length > 0 && Number.isFinite(length))) throw new RangeError('a vector without a direction');
  return Float32Array.from(values, (value) => value / length);
}

/** The direction of the mean of unit vectors, at least one, as a unit vector. Throws RangeError if they cancel each other out. */
export function meanVector(vectors: readonly Float32Array[]): Float32Array {
  // The sum has the same direction as the mean.
  const sums = new Float64Array(vectors[0]!.length);
  for (const vector of vectors) for (let i = 0; i < sums.length; i++) sums[i]! += vector[i]!;
  return unitVector(sums);
}
