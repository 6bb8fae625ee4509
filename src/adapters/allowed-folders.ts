import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  FolderNotAllowed,
  FolderUnreadable,
  type FolderListing,
  type FolderReader,
} from '../ports/folder-reader.ts';
import { filesBelow } from '../support/files-below.ts';

/** Reads folders that lie, links resolved, in one of the folders that an operator named. */
export class AllowedFolders implements FolderReader {
  readonly #roots: readonly string[];

  constructor(roots: readonly string[]) {
    this.#roots = roots;
  }

  async list(folder: string, signal: AbortSignal): Promise<FolderListing> {
    const real = await this.#resolve(folder);
    let isComplete = true;
    const files = await filesBelow(real, { signal, onUnreadable: () => (isComplete = false) });
    return {
      files: files.map(({ name, bytes }) => ({ name, bytes, read: () => readInside(real, name) })),
      isComplete,
    };
  }

  async #resolve(folder: string): Promise<string> {
    const roots = await Promise.all(this.#roots.map((root) => realpath(root).catch(() => undefined)));
    // Before it is looked at, so that nobody learns which folders there are.
    if (!this.#roots.some((root) => isInside(path.resolve(folder), root))) throw notAllowed();
    const real = await realpath(folder).catch(() => undefined);
    if (real === undefined) throw new FolderUnreadable('the folder is not there, or cannot be read');
    if (!roots.some((root) => root !== undefined && isInside(real, root))) throw notAllowed();
    if (!(await stat(real)).isDirectory()) throw new FolderUnreadable('the path is not that of a folder');
    return real;
  }
}

/** A link may have taken the place of a folder since it was listed. */
async function readInside(folder: string, name: string): Promise<Uint8Array> {
  const full = path.join(folder, name);
  if ((await realpath(full)) !== full) throw new FolderNotAllowed('the file is a link now');
  return readFile(full);
}

function isInside(folder: string, root: string): boolean {
  const relative = path.relative(root, folder);
  return (
    relative === '' ||
    (!relative.startsWith(`..${path.sep}`) && relative !== '..' && !path.isAbsolute(relative))
  );
}

function notAllowed(): FolderNotAllowed {
  return new FolderNotAllowed('the folder is in none of those that STRATALOG_INGEST_ROOTS names');
}
