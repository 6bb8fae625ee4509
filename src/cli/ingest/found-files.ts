import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { filesBelow as listFiles } from '../../support/files-below.ts';

/** A file to ingest. */
export interface FoundFile {
  /** Its absolute path with slashes: the same file has the same externalId in every run. */
  readonly externalId: string;
  /** Path below the folder that was named. */
  readonly name: string;
  readonly uri: string;
  readonly bytes: number;
  readonly read: () => Promise<Buffer>;
  readonly sha256: () => Promise<string>;
}

/** The server takes no larger ones. */
export const maxFileBytes = 64_000_000;

/** The files below a folder that no ignore file excludes, or the one that is named, in the order of their names. */
export async function filesBelow(folder: string, file?: string): Promise<FoundFile[]> {
  if (file !== undefined) return [foundFile(folder, file, (await stat(path.join(folder, file))).size)];
  const files = await listFiles(folder);
  return files.map(({ name, bytes }) => foundFile(folder, name, bytes));
}

function foundFile(root: string, name: string, bytes: number): FoundFile {
  const full = path.join(root, name);
  const read = () => readFile(full);
  return {
    externalId: full.replaceAll(path.sep, '/'),
    name,
    uri: pathToFileURL(full).href,
    bytes,
    read,
    sha256: async () =>
      createHash('sha256')
        .update(await read())
        .digest('hex'),
  };
}
