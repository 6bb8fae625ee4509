import { versionOf } from '../generation-variant.ts';

const passagePrefix = 'read.passage_vectors_';

/** The table with the vectors of one model. Vectors of different models never share a table. */
export function vectorTable(modelId: string): string {
  return `read.kept_vectors_${slugOf(modelId)}`;
}

/** The table with the model's vectors of replaced texts, which searches as of a position read. */
export function supersededVectorTable(modelId: string): string {
  return `read.superseded_vectors_${slugOf(modelId)}`;
}

/** The table with the model's vectors of the passages of long texts. Those of replaced and deleted texts are in the column `shelved`. */
export function passageVectorTable(modelId: string): string {
  return `${passagePrefix}${slugOf(modelId)}`;
}

/** The texts that a model does not embed, although it embeds others: one row for each memory and model. */
export const refusedTextTable = 'read.refused_texts';

/** The vectors that the models of spaces made, in addition to those of the read model: one row for each memory and model. */
export const spaceVectorTable = 'read.space_vectors';

/**
 * SQL: the rows of the read model `vectors` that have a vector of a space's model, with the vector in `embedding`. That of a text which was
 * replaced since is not among them.
 */
export function spaceVectorsOf(modelId: string, vectors: string): string {
  return `(select v.*, s.embedding from ${spaceVectorTable} s join ${vectors} v using (tenant, memory_id, text_hash)
    where s.model = '${modelId.replaceAll("'", "''")}' and v.active)`;
}

export function isPassageVectorTable(table: string): boolean {
  return table.startsWith(passagePrefix);
}

/** Whether a generation with this signature keeps vectors of passages. */
export function hasPassageVectors(signature: string): boolean {
  return versionOf(signature) >= 3;
}

function slugOf(modelId: string): string {
  return modelId
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .slice(0, 40);
}
