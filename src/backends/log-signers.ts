import { hkdfSync } from 'node:crypto';
import { parseRootKey } from '../adapters/vault/root-key.ts';
import { ConfigError, type Config } from '../config.ts';
import type { Restore } from '../domain/tlog/events.ts';
import { signerOf, type Signer, type Verifier } from '../domain/tlog/note.ts';
import type { Sql } from '../ports/sql.ts';
import { rootKey } from './vault.ts';

/** How the heads of a log are named, signed and verified. */
export interface LogKeys {
  /** Name of the log in its signed heads. */
  readonly origin: string;
  /** The present one first. */
  readonly signers: readonly Signer[];
  /** The same, and those that signed under the names of the logs that this one was restored from. */
  readonly verifiers: readonly Verifier[];
}

/**
 * Name of a log in its signed heads. A log that was restored has one of its own, also where the setting is the same: `restores` says from
 * which logs, in order.
 */
export function originOf({ tlog }: Config, logId: string, restores: readonly Restore[]): string {
  if (tlog.origin === undefined) return `stratalog/${logId}`;
  return restores.length > 0 ? `${tlog.origin}/${logId}` : tlog.origin;
}

export async function openLogKeys(
  config: Config,
  sql: Sql,
  logId: string,
  restores: readonly Restore[],
): Promise<LogKeys> {
  const seeds = await logSeeds(config, () => rootKey(config, sql));
  const origin = originOf(config, logId, restores);
  const signers = signersOf([origin], seeds);
  const earlier = new Set(restores.map(({ from }) => from.origin));
  earlier.delete(origin);
  return { origin, signers, verifiers: [...signers, ...signersOf([...earlier], seeds)] };
}

/** A signer for each of these names with each of these keys. */
export function signersOf(origins: readonly string[], seeds: readonly Uint8Array[]): readonly Signer[] {
  return origins.flatMap((origin) => seeds.map((seed) => signerOf(origin, seed)));
}

/**
 * The keys that sign the heads of the log, the present one first. Without one of its own, it follows from the key of the vault: both lie
 * outside of the database, so who can only change the database cannot sign.
 */
export async function logSeeds(
  { tlog: { key, oldKey } }: Config,
  readRootKey: () => Promise<Uint8Array>,
): Promise<readonly Uint8Array[]> {
  const seed = key === undefined ? derived(await readRootKey()) : seedOf('STRATALOG_TLOG_KEY', key);
  return oldKey === undefined ? [seed] : [seed, seedOf('STRATALOG_TLOG_OLD_KEY', oldKey)];
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
