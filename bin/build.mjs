// Bundles the TypeScript sources of a checkout when they have changed, so there is no build step to remember. Each start checks
// the dates of the files. A package has the sources too: for source maps, and for a start if it was packed without its dist/.
// Node 20 cannot run TypeScript, so the program and each worker thread get a bundled entry. Packages are not bundled.
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedBuild, clientSources, root } from './cached-build.mjs';

/** Entry name -> source file. Worker threads are started by entry name (`src/adapters/worker-entry.ts`). */
const entries = {
  main: 'src/cli/main.ts',
  'pglite-worker': 'src/adapters/pglite/worker.ts',
  'onnx-worker': 'src/adapters/onnx/worker.ts',
  'document-reader': 'src/adapters/documents/reader-process.ts',
};

/** Returns the folder with the bundles of the current sources. Throws with esbuild's message on a syntax error. */
export function builtCheckout() {
  return cachedBuild('build', { sources: ['src', clientSources], script: 'build.mjs', build });
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
