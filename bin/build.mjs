// Bundles the TypeScript sources of a checkout when they have changed, so there is no build step to remember. Each start checks
// the dates of the files. A package has the sources too: for source maps, and for a start if it was packed without its dist/.
// Node 20 cannot run TypeScript, so the program and each worker thread get a bundled entry. Packages are not bundled.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Entry name -> source file. Worker threads are started by entry name (`src/adapters/worker-entry.ts`). */
const entries = {
  main: 'src/cli/main.ts',
  'pglite-worker': 'src/adapters/pglite/worker.ts',
  'onnx-worker': 'src/adapters/onnx/worker.ts',
  'document-reader': 'src/adapters/documents/reader-process.ts',
};

/** The client that the command line uses, which is bundled too. */
const clientSources = path.join('packages', 'client', 'src');

/** How long older bundles are kept after their last start. A program that runs from them may still load more of them. */
const keptMs = 7 * 24 * 60 * 60 * 1_000;

/**
 * Returns the folder with the bundles of the current sources, `.cache/build-<state of the sources>`, and builds it if it is
 * missing. Throws with esbuild's message on a syntax error.
 */
export async function builtCheckout() {
  const cache = path.join(root, '.cache');
  const folder = path.join(cache, `build-${stateOfSources()}`);
  if (existsSync(folder)) {
    // Marks the folder as in use, so it is not removed. Errors are ignored: a read-only checkout removes no folders.
    await utimes(folder, new Date(), new Date()).catch(() => {});
    return folder;
  }
  const fresh = `${folder}.${process.pid}`;
  await build(fresh);
  // Fails if another process of this checkout was faster. Its bundles are the same.
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }));
  await removeOld(cache);
  return folder;
}

/** Identifies the sources by their paths, dates and sizes. */
function stateOfSources() {
  const sources = ['src', clientSources].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true }).map((file) => path.join(folder, file)),
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

/** Builds those of `entries` whose source exists into `outdir`. Throws with esbuild's message on a syntax error. */
export async function build(outdir) {
  const { build: bundle, stop } = await import('esbuild');
  const present = Object.entries(entries).filter(([, file]) => existsSync(path.join(root, file)));
  const { outputFiles } = await bundle({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(present),
    outdir,
    write: false,
    bundle: true,
    // Keeps dynamic imports, such as the clients of servers, in files that are loaded on demand.
    splitting: true,
    chunkNames: 'chunk-[name]-[hash]',
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: 'linked',
    logLevel: 'error',
  });
  // Otherwise esbuild's process would run as long as this one.
  await stop();
  await mkdir(outdir, { recursive: true });
  await Promise.all(outputFiles.map((file) => writeFile(file.path, file.contents)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , outdir] = process.argv;
  // The chunks of earlier builds have other names, and would be packed too.
  await rm(outdir, { recursive: true, force: true });
  await build(outdir);
}
