import { randomBytes } from 'node:crypto';
import { open, mkdir } from 'node:fs/promises';
import path from 'node:path';

/**
 * The 32 bytes that open the vault, from `FILE`; made at first use, readable by the owner alone and synced before
 * anything is encrypted under it.
 */
export async function readRootKeyFile(file: string): Promise<Uint8Array> {
  const present = await readKey(file);
  if (present) return present;
  await mkdir(path.dirname(file), { recursive: true });
  const handle = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return undefined;
    throw error;
  });
  if (!handle) return (await readKey(file))!;
  try {
    await handle.writeFile(`${randomBytes(32).toString('base64')}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  const folder = await open(path.dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
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
  } finally {
    await handle.close();
  }
}
