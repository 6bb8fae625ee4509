import path from 'node:path';
import { parseRootKey, readRootKeyFile } from '../adapters/vault/root-key.ts';
import { assertOpens, hasVault, openSqlKeyVault } from '../adapters/vault/sql-key-vault.ts';
import { ConfigError, type Config } from '../config.ts';
import type { KeyVault } from '../ports/key-vault.ts';
import type { Sql } from '../ports/sql.ts';

/** Opens the vault in `sql` with the configured key, or with the one in the data folder, which is created at first use. */
export async function openVault(config: Config, sql: Sql): Promise<KeyVault> {
  return openSqlKeyVault(sql, await rootKey(config, sql));
}

/** Throws as `openVault` would, but changes nothing: the first start creates a missing vault. */
export async function inspectVault(config: Config, sql: Sql): Promise<void> {
  if (await hasVault(sql)) await assertOpens(sql, await rootKey(config, sql));
}

/** The key of the vault, which lies outside of the database. */
export async function rootKey({ vaultKey, dataDir }: Config, sql: Sql): Promise<Uint8Array> {
  if (vaultKey === undefined) return readRootKeyFile(path.join(dataDir, 'vault.key'), !(await hasVault(sql)));
  try {
    return parseRootKey(vaultKey);
  } catch (error) {
    throw new ConfigError(`STRATALOG_VAULT_KEY: ${(error as Error).message}`);
  }
}
