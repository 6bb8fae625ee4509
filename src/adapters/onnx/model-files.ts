import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import path from 'node:path';
import type { OnnxModel } from './models.ts';

/** The model's files are missing or have the wrong checksum. Retrying does not help; the message says what to do. */
export class ModelMissing extends Error {
  override readonly name = 'ModelMissing';
  readonly code = 'model-missing';
}

type ModelFile = keyof NonNullable<OnnxModel['sha256']>;

/** The path of one of the model's files, after its checksum was verified if the model has one. Rejects with `ModelMissing`. */
export async function verifiedFile(model: OnnxModel, folder: string, name: ModelFile): Promise<string> {
  const file = path.join(folder, name);
  const hash = createHash('sha256');
  try {
    // In chunks: read as a whole, the file would occupy 74 MB in each thread until its next garbage collection.
    for await (const piece of createReadStream(file, { highWaterMark: 1 << 20 })) {
      hash.update(piece as Buffer);
    }
  } catch (error) {
    const message = `${file} of the embedding model ${model.name} cannot be read. ${remedy(model)}`;
    throw new ModelMissing(message, { cause: error });
  }
  const found = hash.digest('hex');
  const expected = model.sha256?.[name];
  if (expected === undefined || found === expected) return file;
  throw new ModelMissing(
    `${file} is damaged: its sha256 is ${found} instead of ${expected}. ${remedy(model)}`,
  );
}

function remedy({ name, shipped }: OnnxModel): string {
  const restore = shipped
    ? `Restore it with "git checkout -- models/${name}" or by installing the package again`
    : 'Put it there, or set STRATALOG_EMBEDDING_MODELS_DIR to the folder that has one folder for each model';
  return `${restore}; or choose another embedder (STRATALOG_EMBEDDER=openai).`;
}
