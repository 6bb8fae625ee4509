// What a checkout builds when its sources have changed, so there is no build step to remember.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** The client, which the command line and the console contain. */
export const clientSources = path.join('packages', 'client', 'src');

/** How long an older build is kept after its last use. A program that runs from it may still load more of its files. */
const keptMs = 7 * 24 * 60 * 60 * 1_000;

/**
 * Returns the folder with the build of the current sources, `.cache/<name>-<state of the sources>`. If it is missing, `build` makes it
 * in the folder that it is given. `sources` are folders; `script` is the file in `bin/` that builds.
 */
export async function cachedBuild(name, { sources, script, build }) {
  const cache = path.join(root, '.cache');
  const folder = path.join(cache, `${name}-${stateOf(sources, ['package.json', path.join('bin', script)])}`);
  if (existsSync(folder)) {
    // Marks the folder as in use, so it is not removed. Errors are ignored: a read-only checkout removes no folders.
    await utimes(folder, new Date(), new Date()).catch(() => {});
    return folder;
  }
  const fresh = `${folder}.${process.pid}`;
  await build(fresh);
  // Fails if another process of this checkout was faster. Its files are the same.
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }));
  await removeOld(cache, `${name}-`);
  return folder;
}

/** Identifies the sources by their paths, dates and sizes. */
function stateOf(folders, files) {
  const inFolders = folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true }).map((file) => path.join(folder, file)),
  );
  const hash = createHash('sha256');
  for (const file of [...inFolders, ...files]) {
    const { mtimeMs, size } = statSync(path.join(root, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

async function removeOld(cache, prefix) {
  const names = (await readdir(cache)).filter((name) => name.startsWith(prefix));
  for (const folder of names.map((name) => path.join(cache, name))) {
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Infinity }));
    if (mtimeMs < Date.now() - keptMs) await rm(folder, { recursive: true, force: true });
  }
}
