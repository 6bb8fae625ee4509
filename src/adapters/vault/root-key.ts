import { randomBytes } from 'node:crypto';
import { link, open, unlink } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from '../make-folder.ts';

/** The file of the root key is missing or contains something else. Without it the vault cannot be opened. */
export class RootKeyUnusable extends Error {
  override readonly name = 'RootKeyUnusable';
}

/**
 * Reads the 32-byte root key of the vault from `file`. The file is created at first use, readable only by its owner and synced
 * before anything is encrypted with the key. A new key cannot open an existing vault: pass `mayCreate` false for one, so that a
 * missing file rejects with `RootKeyUnusable`, like a file without a key.
 */
export async function readRootKeyFile(file: string, mayCreate = true): Promise<Uint8Array> {
  const present = await readKey(file);
  if (present) return present;
  if (!mayCreate) {
    throw new RootKeyUnusable(
      `${file} is missing, and without it nothing in this data can be read: restore it from its backup, or set STRATALOG_VAULT_KEY to its content`,
    );
  }
  const folder = path.dirname(file);
  await makeFolder(path.resolve(folder));
  // Created atomically: a process that is killed here must not leave an incomplete key.
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

/** Decodes a key of 32 bytes from base64. The error does not contain the text. */
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
