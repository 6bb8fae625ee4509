// Vectors of a list of texts, computed once by the program's own embedder and kept in .cache/ranking.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openOnnxEmbedder } from '../../src/adapters/onnx/embedder.ts';
import { bgeSmall, e5Small, shippedFolder, type OnnxModel } from '../../src/adapters/onnx/models.ts';
import type { EmbeddingPurpose } from '../../src/ports/embedder.ts';

/** A model and the folder with its files. */
export interface BenchModel {
  readonly model: OnnxModel;
  readonly folder: string;
}

/** The shipped model, or another that is known by the name of the folder. Throws where it is not. */
export function benchModel(folder: string = shippedFolder): BenchModel {
  const name = path.basename(path.resolve(folder));
  const model = [bgeSmall, e5Small].find((known) => known.name === name);
  if (!model) throw new Error(`${folder}: prefixes and pooling of ${name} are not known`);
  return { model, folder };
}

/** One unit vector a text, in order. */
export async function embedAll(
  { model, folder: files }: BenchModel,
  texts: readonly string[],
  purpose: EmbeddingPurpose,
  label: string,
): Promise<Float32Array[]> {
  const asEmbedded = JSON.stringify(texts.map((text) => model.prefix[purpose] + text));
  const hash = createHash('sha256').update(asEmbedded).digest('hex').slice(0, 16);
  const folder = path.join('.cache', 'ranking', model.name);
  const file = path.join(folder, `${label}-${hash}.f32`);
  const cached = await readFile(file).catch(() => undefined);
  if (cached !== undefined) return split(cached, texts.length);

  const start = performance.now();
  const embedder = await openOnnxEmbedder({ model, folder: files });
  const vectors = await embedder.embed(texts, purpose);
  await embedder.close();
  const seconds = (performance.now() - start) / 1000;
  console.error(`${label}: ${texts.length} texts embedded in ${seconds.toFixed(0)} s`);
  await mkdir(folder, { recursive: true });
  const bytes = Buffer.concat(vectors.map(({ buffer }) => Buffer.from(buffer)));
  await writeFile(`${file}.part`, bytes);
  await rename(`${file}.part`, file);
  return split(bytes, texts.length);
}

function split(bytes: Buffer, count: number): Float32Array[] {
  const aligned = new Uint8Array(bytes).buffer;
  const dimension = count === 0 ? 0 : bytes.length / 4 / count;
  return Array.from({ length: count }, (_, i) => new Float32Array(aligned, i * dimension * 4, dimension));
}

/** Dot product: the cosine of unit vectors. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}
