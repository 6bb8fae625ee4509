import { randomBytes } from 'node:crypto';
import { link, open, unlink } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from '../make-folder.ts';

/** The file that holds the root key is not there or holds something else: what it opens stays closed until it is back. */
export class RootKeyUnusable extends Error {
  override readonly name = 'RootKeyUnusable';
}

/**
 * The 32 bytes that open the vault, from `FILE`; made at first use, readable by the owner alone and synced before
 * anything is encrypted under it. A vault that exists was made with a key that a new one cannot stand in for: with
 * `mayMake` false a missing file rejects with `RootKeyUnusable`, as one without a key does.
 */
export async function readRootKeyFile(file: string, mayMake = true): Promise<Uint8Array> {
  const present = await readKey(file);
  if (present) return present;
  if (!mayMake) {
    throw new RootKeyUnusable(
      `${file} is missing, and without it nothing in this data can be read: put it back from where it was kept, or set STRATALOG_VAULT_KEY to what it held`,
    );
  }
  const folder = path.dirname(file);
  await makeFolder(path.resolve(folder));
  // Whole or not at all: a process that is killed here must not leave an empty key behind.
  const fresh = `${file}.${randomBytes(6).toString('hex')}`;
  const handle = await open(fresh, 'wx', 0o600);
  try {
    await handle.writeFile(`${randomBytes(32).toString('base64')}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await link(fresh, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await unlink(fresh);
  const directory = await open(folder, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
  return (await readKey(file))!;
}

/** `text` as the 32 bytes that it encodes in base64. Throws what is wrong with it, without showing it. */
export function parseRootKey(text: string): Uint8Array {
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== 32)
    throw new Error('a vault key is 32 bytes in base64, such as `openssl rand -base64 32` prints');
  return key;
}

async function readKey(file: string): Promise<Uint8Array | undefined> {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!handle) return undefined;
  try {
    return parseRootKey(await handle.readFile('utf8'));
  } catch (error) {
    throw new RootKeyUnusable(`${file}: ${(error as Error).message}`, { cause: error });
  } finally {
    await handle.close();
  }
}
