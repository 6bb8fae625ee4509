import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { SealedEventStore } from '../adapters/eventstore/sealed-event-store.ts';
import { openSqlEventLog } from '../adapters/sqllog/sql-event-log.ts';
import { openLogKeys } from '../backends/log-signers.ts';
import { openVault } from '../backends/vault.ts';
import type { CommandContext } from '../commands/context.ts';
import type { Config } from '../config.ts';
import { verifierKey } from '../domain/tlog/note.ts';
import type { CopySource } from '../ports/log-copy.ts';
import type { Sql } from '../ports/sql.ts';
import { CheckpointSigner } from '../tlog/checkpoint-signer.ts';
import { restoresOf } from '../tlog/restores.ts';
import { LogTree } from '../tlog/tree.ts';
import { BackupRefused } from './errors.ts';
import { withDatabase } from './open-folder.ts';
import { restoreLog, type RestoreOptions } from './restore-log.ts';

export interface RestoreReport {
  readonly logId: string;
  /** Name of the restored log in its signed heads, and the key that verifies them. */
  readonly origin: string;
  readonly verifierKey: string;
  /** The log whose events it begins with, how many, and their root. */
  readonly from: string;
  readonly size: number;
  readonly root: string;
}

/** What a folder may have before a restore into it: the key, and what an interrupted restore has left. */
const allowedEntries = ['vault.key', 'lock', 'pg', 'pg.new', 'VERSION', 'api.sock'];

/** Throws `BackupRefused` if a folder has something else than a restore may find in it. */
export async function assertFree({ profile, dataDir }: Config): Promise<void> {
  if (profile !== 'embedded') return;
  const entries = await readdir(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return [];
  });
  const strange = entries.find((name) => !allowedEntries.includes(name));
  if (strange !== undefined)
    throw new BackupRefused(
      `${dataDir} is not empty (${path.join(dataDir, strange)}): choose another folder`,
    );
}

/** Copies a log into the database of the configuration and signs its first head under its new name. */
export async function restoreInto(
  config: Config,
  source: CopySource,
  options: Omit<RestoreOptions, 'name'>,
): Promise<RestoreReport> {
  await assertFree(config);
  return withDatabase(config, async (sql) => {
    const name = config.profile === 'embedded' ? config.dataDir : 'the database';
    const { size, root } = await restoreLog(sql, source, { name, ...options });
    const head = await signFirstHead(config, sql, options.context);
    return { ...head, from: options.end.origin, size, root };
  });
}

/** Signs a head at once: until then nothing vouches for heads under earlier names. */
export async function signFirstHead(
  config: Config,
  sql: Sql,
  context: CommandContext,
): Promise<Pick<RestoreReport, 'logId' | 'origin' | 'verifierKey'>> {
  const log = await openSqlEventLog(sql);
  try {
    const store = new SealedEventStore(log, await openVault(config, sql));
    const tree = await LogTree.open(sql, log);
    const { origin, signers } = await openLogKeys(config, sql, log.logId, await restoresOf(log));
    const signer = new CheckpointSigner({ tree, store, origin, signers, context, intervalMs: 0 });
    await signer.sign(new AbortController().signal);
    return { logId: log.logId, origin, verifierKey: verifierKey(signers[0]!) };
  } finally {
    await log.close();
  }
}
