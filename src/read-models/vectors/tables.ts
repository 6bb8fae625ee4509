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
