/** Names the key of one thing that can be erased alone, and the subject whose key wraps it. */
export interface KeyRef {
  readonly tenant: string;
  /** A memory id, or another name that is unique in the tenant. */
  readonly id: string;
  /** Whom the content is about, as `pseudonym('subject', …)`: destroying the subject's key destroys all that it wraps. */
  readonly subject: string;
}

/** 256 bits. */
export type DataKey = Uint8Array;

/** A key that is not in the vault yet. */
export interface NewKey {
  readonly ref: KeyRef;
  readonly key: DataKey;
  /** As the vault keeps it: under the subject's key. */
  readonly wrapped: Uint8Array;
}

/**
 * Holds the keys under which content is stored. With the leases it is the second truth: it cannot be rebuilt from
 * the log and has a backup of its own. A destroyed key leaves a tombstone for ever.
 */
export interface KeyVault {
  /** The key of `ref`, made if there is none and durable before this resolves. Rejects with `KeyDestroyed`. */
  ensure(ref: KeyRef): Promise<DataKey>;
  /**
   * Makes a key and keeps it nowhere: an append may bring it into the vault with what it seals (`EventLog.append`),
   * and whoever did that says so by `stored`. Rejects with `KeyDestroyed` for a subject whose key was.
   */
  draft(ref: KeyRef): Promise<NewKey>;
  stored(newKey: NewKey): void;
  /** The keys of these ids in one tenant; `destroyed` where a tombstone stands, absent where there never was a key. */
  open(tenant: string, ids: readonly string[]): Promise<Map<string, DataKey | 'destroyed'>>;
  /** Destroys one key for ever; resolves also where it was destroyed before or never made (then it never can be). */
  destroy(tenant: string, id: string): Promise<void>;
  /** Keyed hash, 128 bits in hex: the same value gives the same name, and the name does not give the value away. */
  pseudonym(purpose: string, tenant: string, value: string): string;
  close(): Promise<void>;
}

/** A new key was not taken: the vault has one of this id, or its tombstone. */
export class KeyTaken extends Error {
  override readonly name = 'KeyTaken';
  readonly keyId: string;

  constructor(keyId: string) {
    super(`the vault has a key ${keyId} already`);
    this.keyId = keyId;
  }
}

export class KeyDestroyed extends Error {
  override readonly name = 'KeyDestroyed';
  readonly keyId: string;

  constructor(keyId: string) {
    super(`the key of ${keyId} was destroyed by an erasure`);
    this.keyId = keyId;
  }
}
