import { constants, rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';

/** Loaded data folders are kept here between runs. */
export const keptData = path.resolve('.cache', 'bench-data');

/** Calls `use` with a new folder on the same disk as the kept ones, and removes it afterwards. */
export async function withScratch<T>(use: (folder: string) => Promise<T>): Promise<T> {
  await mkdir(keptData, { recursive: true });
  const folder = await mkdtemp(path.join(keptData, 'scratch-'));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.once('exit', remove);
  // If `use` fails, a program may still write to the folder. Removing it now could fail and hide the original error, so it is
  // removed at exit.
  const result = await use(folder);
  process.off('exit', remove);
  await rm(folder, { recursive: true, force: true });
  return result;
}

/** Copies the data folder of a stopped server, without its lock. */
export async function copyData(from: string, to: string): Promise<void> {
  await cp(from, to, {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
    filter: (source) => path.basename(source) !== 'lock',
  });
}
