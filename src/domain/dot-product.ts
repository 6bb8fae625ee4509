/** Sum of the products of the components: of unit vectors, their cosine. */
export function dotProduct(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < left.length; index++) sum += left[index]! * right[index]!;
  return sum;
}
