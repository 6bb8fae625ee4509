/** The table with the vectors of one model. Vectors of different models never share a table. */
export function vectorTable(modelId: string): string {
  return `read.kept_vectors_${slugOf(modelId)}`;
}

/** The table with the model's vectors of replaced texts, which searches as of a position read. */
export function supersededVectorTable(modelId: string): string {
  return `read.superseded_vectors_${slugOf(modelId)}`;
}

function slugOf(modelId: string): string {
  return modelId
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .slice(0, 40);
}
