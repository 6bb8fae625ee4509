import { stat } from 'node:fs/promises';
import path from 'node:path';
import { DataDirectoryUnusable } from '../adapters/pglite/errors.ts';
import { openPglite } from '../adapters/pglite/open.ts';
import { openSqlEventLog } from '../adapters/sqllog/sql-event-log.ts';
import { parseRootKey } from '../adapters/vault/root-key.ts';
import { logSeeds, openLogKeys, signersOf } from '../backends/log-signers.ts';
import { BackupFolder, readManifest } from '../backup/backup-folder.ts';
import { BackupRefused } from '../backup/errors.ts';
import { originsIn, verifyBackup } from '../backup/verify-backup.ts';
import { readConfig, type Config } from '../config.ts';
import { parseCheckpoint, type TreeHead } from '../domain/tlog/checkpoint.ts';
import { parseVerifierKey, type Verifier } from '../domain/tlog/note.ts';
import { restoresOf } from '../tlog/restores.ts';
import { LogTree } from '../tlog/tree.ts';
import { verifyLog, type LogReport } from '../tlog/verify-log.ts';
import { environmentWith } from './environment.ts';

/** Verifies a data folder or a backup in this process, without a server. Nothing is added to its log. */
export async function verifyFolder(
  folder: string,
  against: string | undefined,
  verifierKey: string | undefined,
): Promise<LogReport> {
  const config = readConfig(environmentWith({ data: folder }));
  const heads = against === undefined ? [] : [parseCheckpoint(against)];
  const given = verifierKey === undefined ? undefined : [parseVerifierKey(verifierKey)];
  return (await readManifest(config.dataDir))
    ? verifyBackupIn(config, heads, given)
    : verifyDatabase(config, heads, given);
}

async function verifyBackupIn(
  config: Config,
  against: readonly TreeHead[],
  given: readonly Verifier[] | undefined,
): Promise<LogReport> {
  const backup = await BackupFolder.open(config.dataDir);
  const upTo = backup.manifest.position;
  const verifiers = given ?? signersOf(await originsIn(backup, upTo), await seedsOf(config));
  return verifyBackup(backup, { upTo, verifiers, against });
}

/** A backup has no key, so it must be named. */
function seedsOf(config: Config): Promise<readonly Uint8Array[]> {
  return logSeeds(config, () => {
    if (config.vaultKey !== undefined) return Promise.resolve(parseRootKey(config.vaultKey));
    throw new BackupRefused(
      'a backup does not have the key that its heads are signed with: name it with --verifier-key',
    );
  });
}

async function verifyDatabase(
  config: Config,
  against: readonly TreeHead[],
  given: readonly Verifier[] | undefined,
): Promise<LogReport> {
  // Opening would create what is missing.
  await stat(path.join(config.dataDir, 'pg')).catch(() => {
    throw new DataDirectoryUnusable(`${config.dataDir} is not a data folder: it has no database`);
  });
  const sql = await openPglite({ dataDir: config.dataDir });
  try {
    const log = await openSqlEventLog(sql);
    const tree = await LogTree.open(sql, log);
    const verifiers = given ?? (await openLogKeys(config, sql, log.logId, await restoresOf(log))).verifiers;
    const report = await verifyLog({ log, tree, verifiers, against });
    await log.close();
    return report;
  } finally {
    await sql.close();
  }
}
