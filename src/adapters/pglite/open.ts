import { chmod, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Sql } from '../../ports/sql.ts';
import { makeFolder } from '../make-folder.ts';
import { packageRoot } from '../../support/package-root.ts';
import { DataDirectoryTooNew, DataDirectoryUnusable, readOnlyExplained } from './errors.ts';
import { lockDirectory } from './lock.ts';
import { PgliteSql } from './pglite.ts';
import type { EngineNotice } from './protocol.ts';

/** Format of the data folder. Increased when older versions of this program can no longer read it. */
export const dataFormat = 1;

export interface PgliteOptions {
  /** Folder with `pg/` (PostgreSQL's files), `lock/` and `VERSION`; created if missing. Without it the database is in memory. */
  readonly dataDir?: string;
  /** PostgreSQL's notices and warnings, and the end of the thread (severity PANIC). */
  readonly onNotice?: (notice: EngineNotice) => void;
}

/**
 * Opens PostgreSQL in a thread of this process. Rejects with `DataDirectoryLocked`,
 * `DataDirectoryTooNew`, `DataDirectoryUnusable`, or `SqlUnavailable` if PostgreSQL does not start.
 */
export async function openPglite({ dataDir, onNotice = () => {} }: PgliteOptions = {}): Promise<Sql> {
  if (dataDir === undefined)
    return PgliteSql.start({ cluster: undefined, packageRoot }, onNotice, async () => {});
  try {
    return await openFolder(dataDir, onNotice);
  } catch (error) {
    throw readOnlyExplained(dataDir, error);
  }
}

async function openFolder(dataDir: string, onNotice: (notice: EngineNotice) => void): Promise<Sql> {
  await makeFolder(path.resolve(dataDir));
  const directory = await realpath(dataDir);
  const lock = await lockDirectory(directory);
  try {
    const cluster = path.join(directory, 'pg');
    await checkFormat(directory, cluster);
    await keepToOwner(cluster);
    return await PgliteSql.start({ cluster, packageRoot }, onNotice, () => lock.release());
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Restricts the folder to its owner, because PGlite makes some files writable for everyone. A folder of another owner is left as it is. */
async function keepToOwner(cluster: string): Promise<void> {
  await chmod(cluster, 0o700).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'EPERM') throw error;
  });
}

async function checkFormat(directory: string, cluster: string): Promise<void> {
  const file = path.join(directory, 'VERSION');
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (text === undefined) {
    const exists = await stat(cluster).then(
      () => true,
      () => false,
    );
    if (exists)
      throw new DataDirectoryUnusable(`${cluster} exists, but ${file} does not say which format it has`);
    await writeFile(file, `${dataFormat}\n`, { flush: true });
    return;
  }
  if (!/^\d+\s*$/.test(text)) throw new DataDirectoryUnusable(`${file} contains no format number`);
  if (Number(text) > dataFormat) throw new DataDirectoryTooNew(directory, Number(text), dataFormat);
}
