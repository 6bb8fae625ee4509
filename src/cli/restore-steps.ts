import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isAnyHeld } from '../adapters/sql/leases.ts';
import { makeFolder } from '../adapters/make-folder.ts';
import { parseRootKey, readRootKeyFile, RootKeyUnusable } from '../adapters/vault/root-key.ts';
import { assertProves } from '../adapters/vault/sql-key-vault.ts';
import { BackupFolder } from '../backup/backup-folder.ts';
import { BackupDamaged, BackupRefused } from '../backup/errors.ts';
import { assertDataFolder, withDatabase, withSource } from '../backup/open-folder.ts';
import { openCopySource } from '../backup/open-source.ts';
import { positionOf } from '../backup/position.ts';
import { beginNewLog } from '../backup/restore-log.ts';
import { assertFree, restoreInto, signFirstHead, type RestoreReport } from '../backup/restore-target.ts';
import { originsIn, verifyBackup } from '../backup/verify-backup.ts';
import { openSqlEventLog } from '../adapters/sqllog/sql-event-log.ts';
import { logSeeds, signersOf } from '../backends/log-signers.ts';
import type { Config } from '../config.ts';
import { isComplete } from '../domain/backup/manifest.ts';
import type { CopySource } from '../ports/log-copy.ts';
import { systemCommandContext } from '../roles/process.ts';
import { LogTree } from '../tlog/tree.ts';
import { Progress } from './progress.ts';

interface Restoring {
  readonly to?: string;
  readonly vaultKey?: string;
  readonly unverified?: boolean;
  readonly json: boolean;
}

/** Restores a backup into the database of the configuration. All of it that is needed is checked before anything is written. */
export async function restoreBackup(
  folder: string,
  config: Config,
  { to, vaultKey, unverified = false, json }: Restoring,
): Promise<RestoreReport> {
  const backup = await BackupFolder.open(folder);
  await assertFree(config);
  const rootKey = await rootKeyFor(config, vaultKey);
  await assertOpensBackup(backup, rootKey);
  const end = await backup.end();
  const { wanted, at } = backup.manifest;
  if (!isComplete(backup.manifest) && to === undefined)
    throw new BackupRefused(
      `the last backup into ${folder} was interrupted: it has ${end.size} of ${wanted.size} events. Run \`stratalog backup\` again to complete it, or restore what it has with --to ${end.position}`,
    );
  const upTo = to === undefined ? end.position : await positionOf(to, backup, end, new Date(at));
  if (!unverified) await assertSound(backup, upTo, config, rootKey);
  if (vaultKey !== undefined) await keepKey(vaultKey, config);
  return restore(config, backup, { upTo, isVerified: true, json });
}

/** Builds a data folder from the log of another one, as it was at a position or time. */
export async function replayLog(
  from: Config,
  into: Config,
  { to, json }: { readonly to: string; readonly json: boolean },
): Promise<RestoreReport> {
  await assertFree(into);
  return withSource(from, async (source) => {
    const upTo = await positionOf(to, source, await source.end(), new Date());
    if (from.vaultKey === undefined) await keepKey(path.join(from.dataDir, 'vault.key'), into);
    return restore(into, source, { upTo, isVerified: false, json });
  });
}

/** Lets a log that was restored in another way go on under a new name. */
export async function goOnInPlace(config: Config): Promise<RestoreReport> {
  if (config.profile === 'embedded') await assertDataFolder(config.dataDir);
  const context = systemCommandContext('restore');
  return withDatabase(config, async (sql) => {
    // A data folder in use cannot be opened; a database can.
    if (config.profile !== 'embedded' && (await isAnyHeld(sql)))
      throw new BackupRefused(
        'a server is using this database: stop all of them first. If the last one ended a moment ago, try again in five seconds',
      );
    const log = await openSqlEventLog(sql);
    const tree = await LogTree.open(sql, log);
    if ((await tree.state()).position > (await log.head())) await tree.reset();
    const end = await (await openCopySource(config, { sql, log })).end();
    await log.close();
    const { size, root } = await beginNewLog(sql, end, context);
    return { ...(await signFirstHead(config, sql, context)), from: end.origin, size, root };
  });
}

async function restore(
  config: Config,
  source: CopySource,
  { json, ...options }: { readonly upTo: number; readonly isVerified: boolean; readonly json: boolean },
): Promise<RestoreReport> {
  const progress = new Progress('events', { json });
  const end = await source.end();
  const context = systemCommandContext('restore');
  try {
    return await restoreInto(config, source, { ...options, end, context, onProgress: progress.update });
  } finally {
    progress.stop();
  }
}

/** The key of the vault, which is not in the backup. */
async function rootKeyFor(config: Config, file: string | undefined): Promise<Uint8Array> {
  if (config.vaultKey !== undefined) {
    if (file === undefined) return parseRootKey(config.vaultKey);
    throw new BackupRefused('--vault-key and STRATALOG_VAULT_KEY exclude each other: give one of them');
  }
  const kept = path.join(config.dataDir, 'vault.key');
  try {
    return await readRootKeyFile(file ?? kept, false);
  } catch (error) {
    if (!(error instanceof RootKeyUnusable)) throw error;
    throw new BackupRefused(
      `the key of the vault is missing: a backup does not have it. Name the file with --vault-key, set STRATALOG_VAULT_KEY, or put it at ${kept}`,
      { cause: error },
    );
  }
}

async function assertOpensBackup(backup: BackupFolder, rootKey: Uint8Array): Promise<void> {
  // All of the file is read, so that damage shows before anything is written.
  for await (const records of backup.control())
    for (const record of records)
      if (record.kind === 'vault') assertProves(Buffer.from(record.proof, 'base64'), rootKey);
}

/** The events must agree with the heads among them: a restored log is signed anew, which would hide that they do not. */
async function assertSound(
  backup: BackupFolder,
  upTo: number,
  config: Config,
  rootKey: Uint8Array,
): Promise<void> {
  const seeds = await logSeeds(config, () => Promise.resolve(rootKey));
  const verifiers = signersOf(await originsIn(backup, upTo), seeds);
  const { first } = await verifyBackup(backup, { upTo, verifiers });
  if (!first) return;
  const hint =
    first.fault === 'forged-head'
      ? ' If the log had a signing key of its own, set STRATALOG_TLOG_KEY (and STRATALOG_TLOG_OLD_KEY) as they were'
      : ` To restore what is before it, use --to ${first.position - 1}`;
  throw new BackupDamaged(
    `the backup is not what was signed, at position ${first.position} (${first.fault}): ${first.detail}.${hint}. --unverified restores it nevertheless`,
  );
}

/** Copies the key into a new data folder, for its owner alone. */
async function keepKey(file: string, { dataDir }: Config): Promise<void> {
  await makeFolder(path.resolve(dataDir));
  const key = Buffer.from(await readRootKeyFile(file, false));
  const target = path.join(dataDir, 'vault.key');
  try {
    await writeFile(target, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (!key.equals(await readRootKeyFile(target, false)))
      throw new BackupRefused(`${target} has another key than ${file}: choose another folder`);
  }
}
