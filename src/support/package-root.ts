import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package's folder, found from a bundle (`dist/`, `.cache/build-…/`) or from the sources. */
export const packageRoot: string = findRoot(path.dirname(fileURLToPath(import.meta.url)));

function findRoot(from: string): string {
  for (let folder = from; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, 'bin', 'stratalog.mjs'))) return folder;
    if (folder === path.dirname(folder)) throw new Error(`no package root above ${from}`);
  }
}
