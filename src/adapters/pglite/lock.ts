import { randomBytes } from 'node:crypto';
import { link, readdir, realpath, rm, unlink } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { makeFolder } from '../make-folder.ts';
import { shortPathTo } from '../short-path.ts';
import { DataDirectoryLocked, DataDirectoryUnusable } from './errors.ts';

/*
 * The lock is a listening Unix socket: the kernel closes it when its process ends, so the lock is free at once after a SIGKILL
 * and needs no time-out. Sockets in `DIR/lock/` have increasing numbers, and the highest number is the lock:
 * - it is created by link(2) from a socket that already listens; only one of several starting processes gets a number;
 * - the highest number of a dead process stays until there is a higher one, so no number is used twice.
 * So taking over from a dead process is safe with any number of starting processes.
 */

/** How long to wait for the holder's process id. A frozen or busy holder still has the lock. */
const answerMs = 1000;

export interface DirectoryLock {
  release(): Promise<void>;
}

/** Locks a data folder for this process and creates it if missing. Rejects with `DataDirectoryLocked`. */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const folder = path.join(directory, 'lock');
  await makeFolder(folder);
  const address = await shortPathTo(await realpath(folder));
  const ticket = `starting-${process.pid}-${randomBytes(6).toString('hex')}`;
  const server = await listen(path.join(address.folder, ticket), directory);
  try {
    const held = await takeNumber(directory, folder, address.folder, ticket);
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

/** Whether another process has the data folder locked. By the time of the answer it may have ended. */
export async function isLocked(directory: string): Promise<boolean> {
  const folder = path.join(directory, 'lock');
  const numbers = await numbersIn(folder).catch(() => []);
  const address = await shortPathTo(folder);
  try {
    for (const number of numbers)
      if ((await ask(path.join(address.folder, String(number)))) !== 'dead') return true;
    return false;
  } finally {
    await address.dispose();
  }
}

/** Takes the next free number and returns it. */
async function takeNumber(
  directory: string,
  folder: string,
  address: string,
  ticket: string,
): Promise<number> {
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
    // A higher number means that this one was used before, and removed after its process ended.
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

/** Whether a process listens on the socket, and its process id. */
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
