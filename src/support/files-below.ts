import { readFile, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** Never ingested, like hidden files: what programs keep beside files. */
const alwaysIgnored = ['node_modules', 'Thumbs.db'];

/** A file below a folder. */
export interface FileBelow {
  /** Path below the folder, with slashes. */
  readonly name: string;
  readonly bytes: number;
}

/**
 * The files below a folder that no ignore file excludes, in the order of their names. Links are not followed. What cannot be read is passed
 * to `onUnreadable`, or rejects without it.
 */
export async function filesBelow(
  folder: string,
  {
    onUnreadable,
    signal,
  }: {
    readonly onUnreadable?: (name: string) => void;
    readonly signal?: AbortSignal;
  } = {},
): Promise<FileBelow[]> {
  const found: FileBelow[] = [];
  const orElse = async <T>(name: string, reading: Promise<T>): Promise<T | undefined> => {
    if (!onUnreadable) return reading;
    return reading.catch(() => {
      onUnreadable(name);
      return undefined;
    });
  };
  const collect = async (below: string, above: readonly Rules[]): Promise<void> => {
    signal?.throwIfAborted();
    const here = path.join(folder, below);
    const rules = [...above, ...(await rulesOf(here, below))];
    const entries = (await orElse(below, readdir(here, { withFileTypes: true }))) ?? [];
    for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      const name = path.posix.join(below, entry.name);
      if (
        entry.name.startsWith('.') ||
        alwaysIgnored.includes(entry.name) ||
        isIgnored(rules, name, entry.isDirectory())
      )
        continue;
      if (entry.isDirectory()) await collect(name, rules);
      else if (entry.isFile()) {
        const known = await orElse(name, stat(path.join(folder, name)));
        if (known) found.push({ name, bytes: known.size });
      }
    }
  };
  await collect('', []);
  return found;
}

interface Rules {
  /** Folder that the rules belong to, relative to the root. */
  readonly base: string;
  readonly rules: Ignore;
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
