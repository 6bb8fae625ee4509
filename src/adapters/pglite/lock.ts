import { randomBytes } from 'node:crypto';
import { link, mkdtemp, readdir, realpath, rm, symlink, unlink } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeFolder } from '../make-folder.ts';
import { DataDirectoryLocked, DataDirectoryUnusable } from './errors.ts';

/*
 * The lock is a listening Unix socket: the kernel closes it with its process, so it is free at once after a SIGKILL and
 * never needs a time-out. Sockets in `DIR/lock/` carry growing numbers and the highest one is the lock:
 * - it appears by link(2), already listening; of several starters that want the same number one gets it;
 * - the dead highest number stays until a higher one stands, so no number is ever given out twice.
 * That makes taking over from a dead process safe against any number of starters.
 */

/** Longest socket path that Linux (108 bytes) and macOS (104) take, its end included. */
const maxSocketPath = 100;
/** A holder that is frozen or busy still has the lock: this bounds only how long its process id is waited for. */
const answerMs = 1000;

export interface DirectoryLock {
  release(): Promise<void>;
}

/** Takes the lock of a data folder (made if there is none) for this process. Rejects with `DataDirectoryLocked`. */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const folder = path.join(directory, 'lock');
  await makeFolder(folder);
  const address = await reachable(await realpath(folder));
  const ticket = `starting-${process.pid}-${randomBytes(6).toString('hex')}`;
  const server = await listen(path.join(address.folder, ticket), directory);
  try {
    const held = await climb(directory, folder, address.folder, ticket);
    await unlink(path.join(folder, ticket));
    await address.dispose();
    await removeBelow(folder, held);
  } catch (error) {
    await close(server);
    await rm(path.join(folder, ticket), { force: true });
    await address.dispose();
    throw error;
  }
  return { release: () => close(server) };
}

/** Takes the next free number; answers it. */
async function climb(directory: string, folder: string, address: string, ticket: string): Promise<number> {
  for (;;) {
    const numbers = await numbersIn(folder);
    for (const number of numbers) {
      const holder = await ask(path.join(address, String(number)));
      if (holder !== 'dead') throw new DataDirectoryLocked(directory, holder.pid);
    }
    const next = (numbers.at(-1) ?? 0) + 1;
    const taken = await link(path.join(folder, ticket), path.join(folder, String(next))).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return false;
        throw unlockable(directory, error);
      },
    );
    if (!taken) continue;
    // A higher number says that this one had been given out, left by its process and cleared away meanwhile.
    if ((await numbersIn(folder)).at(-1) === next) return next;
    await rm(path.join(folder, String(next)), { force: true });
  }
}

async function numbersIn(folder: string): Promise<number[]> {
  const names = await readdir(folder);
  return names
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

async function removeBelow(folder: string, held: number): Promise<void> {
  for (const number of await numbersIn(folder))
    if (number < held) await rm(path.join(folder, String(number)), { force: true });
}

/** Whether a process listens there, and which one. */
async function ask(socketPath: string): Promise<'dead' | { pid: number | undefined }> {
  return new Promise((resolve) => {
    const socket = net.connect(socketPath);
    let answer = '';
    const alive = (): void => resolve({ pid: Number.parseInt(answer, 10) || undefined });
    socket.setTimeout(answerMs, () => socket.destroy());
    socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve('dead');
    });
    socket.on('close', alive);
  });
}

async function listen(socketPath: string, directory: string): Promise<net.Server> {
  const server = net.createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(`${process.pid}\n`);
  });
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(unlockable(directory, error)));
    server.listen(socketPath, resolve);
  });
  return server;
}

function unlockable(directory: string, cause: Error): DataDirectoryUnusable {
  return new DataDirectoryUnusable(`${directory} cannot be locked: ${cause.message}`, { cause });
}

async function close(server: net.Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
}

/** A path to `folder` that is short enough for sockets in it: itself, or a link that lives until `dispose`. */
async function reachable(folder: string): Promise<{ folder: string; dispose(): Promise<void> }> {
  if (Buffer.byteLength(folder) + 32 <= maxSocketPath) return { folder, dispose: async () => {} };
  const home = await mkdtemp(path.join(tmpdir(), 'sl-'));
  const short = path.join(home, 'l');
  await symlink(folder, short);
  return { folder: short, dispose: () => rm(home, { recursive: true, force: true }) };
}
