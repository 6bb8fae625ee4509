/**
 * The cosine of two vectors, negative. All embedders give unit vectors, whose inner product is the cosine, for a third of its
 * sums; `<#>` is its negative. No index knows it: in its order every vector is compared.
 */
export function negativeCosine(embedding: string, vector: string): string {
  return `${embedding} <#> ${vector}`;
}
