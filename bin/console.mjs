// Builds the web console with vite: node bin/console.mjs FOLDER. A package has it in dist/console. A checkout builds it when its
// page is first opened after a change, so there is no build step to remember.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const prefix = 'console-';

/**
 * Returns the folder with the console of the current sources, `.cache/console-<state of the sources>`, and builds it if it is
 * missing. Throws with vite's message on a syntax error.
 */
export async function builtConsole() {
  const cache = path.join(root, '.cache');
  const folder = path.join(cache, `${prefix}${stateOfSources()}`);
  if (existsSync(folder)) return folder;
  const fresh = `${folder}.${process.pid}`;
  await build(fresh);
  // Fails if another process of this checkout was faster. Its files are the same.
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }));
  for (const name of await readdir(cache))
    if (name.startsWith(prefix) && !name.includes('.') && path.join(cache, name) !== folder)
      await rm(path.join(cache, name), { recursive: true, force: true });
  return folder;
}

/** Identifies the sources by their paths, dates and sizes. */
function stateOfSources() {
  const files = ['console', path.join('packages', 'client', 'src')].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true }).map((file) => path.join(folder, file)),
  );
  const hash = createHash('sha256');
  for (const file of [...files, 'package.json', path.join('bin', 'console.mjs')].sort()) {
    const { mtimeMs, size } = statSync(path.join(root, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

/** Builds the console into `outdir`. Throws with vite's message on a syntax error. */
export async function build(outdir) {
  const vite = await import('vite');
  await vite.build({
    configFile: path.join(root, 'console', 'vite.config.ts'),
    logLevel: 'error',
    build: { outDir: outdir },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , outdir] = process.argv;
  await build(path.resolve(outdir));
}
