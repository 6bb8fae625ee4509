/** The table that keeps the vectors of one model: vectors of different models never share one. */
export function vectorTable(modelId: string): string {
  const slug = modelId
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .slice(0, 40);
  return `read.kept_vectors_${slug}`;
}
