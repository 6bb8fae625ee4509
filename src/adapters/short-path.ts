import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Below the longest socket path of Linux (108 bytes) and macOS (104), including the terminator. */
const maxSocketPath = 100;
/** Maximum length of the name of a socket in the folder. */
const longestName = 32;

export interface ShortPath {
  readonly folder: string;
  readonly dispose: () => Promise<void>;
}

/** A path to `folder` that is short enough for sockets: the folder itself, or a symbolic link that exists until `dispose`. */
export async function shortPathTo(folder: string): Promise<ShortPath> {
  if (Buffer.byteLength(folder) + longestName <= maxSocketPath) return { folder, dispose: async () => {} };
  const home = await mkdtemp(path.join(tmpdir(), 'sl-'));
  const short = path.join(home, 'l');
  await symlink(folder, short);
  return { folder: short, dispose: () => rm(home, { recursive: true, force: true }) };
}
