// Bundles the TypeScript sources of a checkout: no build step to remember, a look at the files' dates at each start.
// Node 20 runs no TypeScript of its own, so the program and each worker thread get one bundled entry; packages stay outside.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Entry name -> source file. A worker thread is started by its entry's name (`src/adapters/worker-entry.ts`). */
const entries = {
  main: 'src/cli/main.ts',
  'pglite-worker': 'src/adapters/pglite/worker.ts',
  'onnx-worker': 'src/adapters/onnx/worker.ts',
};

/** Bundles of another state of the sources are kept so long after their last start: a program that was started from them may load more. */
const keptMs = 7 * 24 * 60 * 60 * 1_000;

/**
 * The folder with the bundles of this checkout as it is now, built where it is not there yet: `.cache/build-<state of the
 * sources>`. Throws with esbuild's message on a syntax error.
 */
export async function builtCheckout() {
  const cache = path.join(root, '.cache');
  const folder = path.join(cache, `build-${stateOfSources()}`);
  if (existsSync(folder)) {
    // In use: not one of those that are removed. A checkout that cannot be written to removes none.
    await utimes(folder, new Date(), new Date()).catch(() => {});
    return folder;
  }
  const fresh = `${folder}.${process.pid}`;
  await build(fresh);
  // Another process of this checkout may have been faster; its bundles are the same.
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }));
  await removeOld(cache);
  return folder;
}

/** Names what the bundles are made of, by paths, dates and sizes. */
function stateOfSources() {
  const sources = readdirSync(path.join(root, 'src'), { recursive: true }).map((file) =>
    path.join('src', file),
  );
  const hash = createHash('sha256');
  for (const file of [...sources, 'package.json', path.join('bin', 'build.mjs')]) {
    const { mtimeMs, size } = statSync(path.join(root, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

async function removeOld(cache) {
  const names = (await readdir(cache)).filter((name) => name.startsWith('build-'));
  for (const folder of names.map((name) => path.join(cache, name))) {
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Infinity }));
    if (mtimeMs < Date.now() - keptMs) await rm(folder, { recursive: true, force: true });
  }
}

/** Builds what exists of `entries` into `outdir`. Throws with esbuild's message on a syntax error. */
export async function build(outdir) {
  const { build: bundle, stop } = await import('esbuild');
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
  // Its process would stay as long as this one.
  await stop();
  await mkdir(outdir, { recursive: true });
  await Promise.all(outputFiles.map((file) => writeFile(file.path, file.contents)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build(process.argv[2]);
