/** The table that keeps the vectors of one model: vectors of different models never share one. */
export function vectorTable(modelId: string): string {
  return `read.kept_vectors_${slugOf(modelId)}`;
}

/** Beside it the vectors of texts that have changed since, for searches as of a position. */
export function supersededVectorTable(modelId: string): string {
  return `read.superseded_vectors_${slugOf(modelId)}`;
}

function slugOf(modelId: string): string {
  return modelId
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .slice(0, 40);
}
