import { stat } from 'node:fs/promises';
import path from 'node:path';
import { isLocked } from '../adapters/pglite/lock.ts';
import { openPglite } from '../adapters/pglite/open.ts';
import { openPostgres } from '../adapters/postgres/postgres.ts';
import { openSqlEventLog } from '../adapters/sqllog/sql-event-log.ts';
import { postgresOptions } from '../backends/postgres.ts';
import type { Config } from '../config.ts';
import type { CopySource } from '../ports/log-copy.ts';
import type { Sql } from '../ports/sql.ts';
import { BackupRefused } from './errors.ts';
import { openCopySource } from './open-source.ts';
import { SocketSource } from './socket-source.ts';

/** Calls `use` with what a copy of the configured log reads: the process that has the folder open, or the database. */
export async function withSource<T>(config: Config, use: (source: CopySource) => Promise<T>): Promise<T> {
  if (config.profile === 'embedded') {
    await assertDataFolder(config.dataDir);
    if (await isLocked(config.dataDir)) return use(new SocketSource(config.dataDir));
  }
  return withDatabase(config, async (sql) => {
    const log = await openSqlEventLog(sql);
    try {
      return await use(await openCopySource(config, { sql, log }));
    } finally {
      await log.close();
    }
  });
}

/** Calls `use` with the database of the configuration, and closes it. */
export async function withDatabase<T>(config: Config, use: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = await openDatabase(config);
  try {
    return await use(sql);
  } finally {
    await sql.close();
  }
}

function openDatabase(config: Config): Promise<Sql> {
  switch (config.profile) {
    case 'embedded':
      return openPglite({ dataDir: config.dataDir });
    case 'postgres':
      return openPostgres(postgresOptions(config));
    case 'cluster':
      throw new BackupRefused(
        'in the profile cluster the log is in KurrentDB: back it up with its own tools, and PostgreSQL, which has the keys, at the same time or later',
      );
    default:
      return config.profile satisfies never;
  }
}

/** Throws if the folder has no database: opening it would create one. */
export async function assertDataFolder(dataDir: string): Promise<void> {
  await stat(path.join(dataDir, 'pg')).catch(() => {
    throw new BackupRefused(`${dataDir} is not a data folder: it has no database`);
  });
}
