// Vectors of texts, computed once by the program's own embedder and cached in .cache/ranking.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openEmbedders } from '../../src/backends/embedder.ts';
import { readConfig } from '../../src/config.ts';
import type { ModelScale } from '../../src/domain/ranking/calibration.ts';
import { scaleOf } from '../../src/domain/ranking/scales.ts';
import { passagesOf, passageText } from '../../src/domain/text/passages.ts';
import type { Embedder, EmbeddingPurpose } from '../../src/ports/embedder.ts';
import type { DataSet } from './datasets.ts';

/** Vectors in the order of the set; those of the passages one memory after the other. */
export interface SetVectors {
  readonly memories: readonly Float32Array[];
  readonly passages: readonly Float32Array[];
  readonly queries: readonly Float32Array[];
}

export interface BenchModel {
  readonly embedder: Embedder;
  /** The scale by which the program reads its cosines. */
  readonly scale: ModelScale;
  close(): Promise<void>;
}

/**
 * An embedding model as the program loads it: the shipped one, or another by name. The environment registers further models
 * (`STRATALOG_EMBEDDING_MODELS`) and locates their files (`STRATALOG_EMBEDDING_MODELS_DIR`).
 */
export async function openModel(name?: string): Promise<BenchModel> {
  const chosen = { ...process.env, STRATALOG_EMBEDDER: 'onnx', STRATALOG_EMBEDDING_MODEL: name };
  const embedders = await openEmbedders(readConfig(chosen));
  const { id, scale = scaleOf(id) } = embedders.preferred;
  return { embedder: embedders.of(id)!, scale, close: () => embedders.close() };
}

/** The vectors that a search of the set compares. */
export async function embedSet(model: BenchModel, { name, memories, queries }: DataSet): Promise<SetVectors> {
  const passages = memories.flatMap(({ text }) =>
    passagesOf(text).map((passage) => passageText(text, passage)),
  );
  return {
    queries: await embedAll(
      model,
      queries.map(({ query }) => query),
      'query',
      `${name}-queries`,
    ),
    memories: await embedAll(
      model,
      memories.map(({ text }) => text),
      'passage',
      `${name}-memories`,
    ),
    passages: await embedAll(model, passages, 'passage', `${name}-passages`),
  };
}

/** A unit vector for each text, in order. */
export async function embedAll(
  { embedder }: Pick<BenchModel, 'embedder'>,
  texts: readonly string[],
  purpose: EmbeddingPurpose,
  label: string,
): Promise<Float32Array[]> {
  const hash = createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16);
  const folder = path.join('.cache', 'ranking', embedder.model.id.replaceAll(/[^\w.-]/g, '_'));
  const file = path.join(folder, `${label}-${hash}.f32`);
  const cached = await readFile(file).catch(() => undefined);
  if (cached !== undefined) return split(cached, texts.length);

  const start = performance.now();
  const vectors = await embedder.embed(texts, purpose);
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
