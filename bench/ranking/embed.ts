// Vectors of a list of texts, computed once and kept in .cache/ranking.
import { fork, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Of bge-small-en-v1.5 (its model card): put before a query, not before a passage. */
export const QUERY_PREFIX = 'Represent this sentence for searching relevant passages: ';

const SLICE = 32;

/**
 * One unit vector a text, in order, from the ONNX model in `model` (a folder with model.onnx and tokenizer.json).
 * Each text is a run of its own; `workers` processes share the work.
 */
export async function embedAll(
  model: string,
  texts: readonly string[],
  label: string,
  workers = 2,
): Promise<Float32Array[]> {
  const hash = createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16);
  const folder = path.join('.cache', 'ranking', path.basename(model));
  const file = path.join(folder, `${label}-${hash}.f32`);
  const cached = await readFile(file).catch(() => undefined);
  if (cached !== undefined) return split(cached, texts.length);

  const vectors = Array.from<Buffer>({ length: texts.length });
  let next = 0;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: workers }, async () => {
      const worker = fork('bin/run.mjs', ['bench/ranking/embed-worker.ts', model], {
        env: { ...process.env, ORT_DISABLE_TELEMETRY: '1' },
      });
      for (let at = next; at < texts.length; at = next) {
        next = at + SLICE;
        const answer = await ask(worker, texts.slice(at, next));
        for (const [i, vector] of answer.entries()) vectors[at + i] = Buffer.from(vector, 'base64');
      }
      worker.kill();
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  console.log(`${label}: ${texts.length} texts embedded in ${seconds.toFixed(0)} s`);
  await mkdir(folder, { recursive: true });
  const bytes = Buffer.concat(vectors);
  await writeFile(`${file}.part`, bytes);
  await rename(`${file}.part`, file);
  return split(bytes, texts.length);
}

function ask(worker: ChildProcess, texts: string[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('an embedding worker ended'));
    worker.once('exit', ended);
    worker.once('message', (answer) => {
      worker.off('exit', ended);
      resolve(answer as string[]);
    });
    worker.send(texts);
  });
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
