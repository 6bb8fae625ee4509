import { createHash } from 'node:crypto';
import { readFile, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import ignore, { type Ignore } from 'ignore';

/** A file to ingest. */
export interface FoundFile {
  /** Its absolute path with slashes: the same file has the same externalId in every run. */
  readonly externalId: string;
  /** Path below the folder that was named. */
  readonly name: string;
  readonly uri: string;
  readonly read: () => Promise<Buffer>;
  readonly sha256: () => Promise<string>;
}

/** The server takes no larger ones. */
const maxBytes = 64_000_000;
/** Never ingested, like hidden files: what programs keep beside files. */
const alwaysIgnored = ['node_modules', 'Thumbs.db'];

/** The files below a folder that no ignore file excludes, or the one that is named, in the order of their names. */
export async function filesBelow(folder: string, file?: string): Promise<FoundFile[]> {
  if (file !== undefined) return [foundFile(folder, file)];
  const found: FoundFile[] = [];
  await collect(folder, '', [], found);
  return found;
}

interface Rules {
  /** Folder that the rules belong to, relative to the root. */
  readonly base: string;
  readonly rules: Ignore;
}

async function collect(
  root: string,
  below: string,
  above: readonly Rules[],
  found: FoundFile[],
): Promise<void> {
  const folder = path.join(root, below);
  const rules = [...above, ...(await rulesOf(folder, below))];
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const name = path.posix.join(below, entry.name);
    if (
      entry.name.startsWith('.') ||
      alwaysIgnored.includes(entry.name) ||
      isIgnored(rules, name, entry.isDirectory())
    )
      continue;
    if (entry.isDirectory()) await collect(root, name, rules, found);
    else if (entry.isFile() && (await stat(path.join(root, name))).size <= maxBytes)
      found.push(foundFile(root, name));
  }
}

/** `.gitignore`, and `.stratalogignore` for what is versioned and yet no memory. */
async function rulesOf(folder: string, base: string): Promise<Rules[]> {
  const texts = await Promise.all(
    ['.gitignore', '.stratalogignore'].map((name) =>
      readFile(path.join(folder, name), 'utf8').catch(() => ''),
    ),
  );
  const text = texts.join('\n');
  return text.trim() === '' ? [] : [{ base, rules: ignore().add(text) }];
}

/** The rules of the innermost folder that speaks of the file count. */
function isIgnored(rules: readonly Rules[], name: string, isFolder: boolean): boolean {
  for (const { base, rules: own } of rules.toReversed()) {
    const relative = base === '' ? name : name.slice(base.length + 1);
    const { ignored, unignored } = own.test(isFolder ? `${relative}/` : relative);
    if (ignored || unignored) return ignored;
  }
  return false;
}

function foundFile(root: string, name: string): FoundFile {
  const full = path.join(root, name);
  const read = () => readFile(full);
  return {
    externalId: full.replaceAll(path.sep, '/'),
    name,
    uri: pathToFileURL(full).href,
    read,
    sha256: async () =>
      createHash('sha256')
        .update(await read())
        .digest('hex'),
  };
}
