import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { packageRoot } from '../support/package-root.ts';

let built: Promise<string> | undefined;

/** Folder of the bundled entries: the folder of this bundle, or a new build if this runs from the sources (tests). */
function entryFolder(): Promise<string> {
  const self = fileURLToPath(import.meta.url);
  if (!self.endsWith('.ts')) return Promise.resolve(path.dirname(self));
  built ??= import(pathToFileURL(path.join(packageRoot, 'bin', 'build.mjs')).href).then(
    (module: { builtCheckout(): Promise<string> }) => module.builtCheckout(),
  );
  return built;
}

/** Path of a bundled program; `entry` is its name in `bin/build.mjs`. */
export async function entryFile(entry: string): Promise<string> {
  return path.join(await entryFolder(), `${entry}.js`);
}

/** Starts a worker thread; `entry` is its name in `bin/build.mjs`. */
export async function startWorker(entry: string, options: WorkerOptions): Promise<Worker> {
  return new Worker(await entryFile(entry), options);
}
