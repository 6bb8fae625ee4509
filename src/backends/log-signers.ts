import { hkdfSync } from 'node:crypto';
import { parseRootKey } from '../adapters/vault/root-key.ts';
import { ConfigError, type Config } from '../config.ts';
import { signerOf, type Signer } from '../domain/tlog/note.ts';
import type { Sql } from '../ports/sql.ts';
import { rootKey } from './vault.ts';

/** Name of a log in its signed heads. */
export function originOf({ tlog }: Config, logId: string): string {
  return tlog.origin ?? `stratalog/${logId}`;
}

/**
 * The keys that sign the heads of the log, the present one first. Without one of its own, it follows from the key of the vault: both lie
 * outside of the database, so who can only change the database cannot sign.
 */
export async function openLogSigners(config: Config, sql: Sql, logId: string): Promise<readonly Signer[]> {
  const { key, oldKey } = config.tlog;
  const seed = key === undefined ? derived(await rootKey(config, sql)) : seedOf('STRATALOG_TLOG_KEY', key);
  const seeds = oldKey === undefined ? [seed] : [seed, seedOf('STRATALOG_TLOG_OLD_KEY', oldKey)];
  return seeds.map((each) => signerOf(originOf(config, logId), each));
}

function derived(root: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', root, '', 'stratalog log signer', 32));
}

function seedOf(setting: string, text: string): Uint8Array {
  try {
    return parseRootKey(text);
  } catch {
    throw new ConfigError(
      `${setting}: must be 32 bytes in base64, such as \`openssl rand -base64 32\` prints`,
    );
  }
}
