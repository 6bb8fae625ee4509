// Bundles the TypeScript sources of a checkout into .cache/build: no build step to remember, 50 ms at each start.
// Node 20 runs no TypeScript of its own, so the program and each worker thread get one bundled entry; packages stay outside.
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Entry name -> source file. A worker thread is started by its entry's name (`src/adapters/worker-entry.ts`). */
const entries = {
  main: 'src/cli/main.ts',
  'pglite-worker': 'src/adapters/pglite/worker.ts',
  'onnx-worker': 'src/adapters/onnx/worker.ts',
};

/** Builds what exists of `entries` into `outdir` and answers that folder. Throws with esbuild's message on a syntax error. */
export async function build(outdir = path.join(root, '.cache', 'build')) {
  const { build: bundle } = await import('esbuild');
  const present = Object.entries(entries).filter(([, file]) => existsSync(path.join(root, file)));
  const { outputFiles } = await bundle({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(present),
    outdir,
    write: false,
    bundle: true,
    // What is imported on demand, such as the clients of servers, is loaded on demand.
    splitting: true,
    chunkNames: 'chunk-[name]-[hash]',
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: 'linked',
    logLevel: 'error',
  });
  await mkdir(outdir, { recursive: true });
  const [entryFiles, chunks] = [[], []];
  for (const file of outputFiles)
    (path.basename(file.path).startsWith('chunk-') ? chunks : entryFiles).push(file);
  // An entry is replaced once all that it imports is there.
  for (const files of [chunks, entryFiles])
    await Promise.all(files.map((file) => replace(file.path, file.contents)));
  return outdir;
}

/** Whole or not at all: another process of this checkout may be loading the file right now. */
async function replace(file, contents) {
  const present = await readFile(file).catch(() => undefined);
  if (present?.equals(contents)) return;
  const fresh = `${file}.${process.pid}`;
  await writeFile(fresh, contents);
  await rename(fresh, file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build(process.argv[2]);
