import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { shortPathTo } from './short-path.ts';

/** The socket on which the process that has a data folder open answers other programs of the same user. */
export interface FolderSocket {
  /** A path that is short enough to listen on and to connect to, until `dispose`. */
  readonly file: string;
  /** The path in the folder, which may be too long for that. */
  readonly path: string;
  readonly dispose: () => Promise<void>;
}

const socketName = 'api.sock';

/** Path of the socket in a folder that exists. */
export async function socketIn(dataDir: string): Promise<FolderSocket> {
  const whole = await realpath(dataDir);
  const { folder, dispose } = await shortPathTo(whole);
  return { file: path.join(folder, socketName), path: path.join(whole, socketName), dispose };
}
