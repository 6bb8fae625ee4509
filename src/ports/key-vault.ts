/** Identifies the key of content that can be erased independently, and the subject whose key wraps it. */
export interface KeyRef {
  readonly tenant: string;
  /** A memory id, or another name that is unique within the tenant. */
  readonly id: string;
  /**
   * Person that the content is about, as `pseudonym('subject', …)`. Destroying the subject's key destroys all keys that it wraps; what is
   * sealed later has another.
   */
  readonly subject: string;
  /** The id names a use and not one thing: after an erasure of the subject, the next use has a new key, see `KeyVault.renewed`. */
  readonly renewable?: boolean;
}

/** 256 bits. */
export type DataKey = Uint8Array;

/** A key that is not in the vault yet. */
export interface NewKey {
  readonly ref: KeyRef;
  readonly key: DataKey;
  /** The key encrypted with the subject's key, as the vault stores it. */
  readonly wrapped: Uint8Array;
}

/**
 * Stores the keys that encrypt content. Besides the log, it is the only state (with the leases) that cannot be rebuilt, and needs a
 * backup of its own. A destroyed key leaves a permanent tombstone.
 */
export interface KeyVault {
  /** Returns the key of `ref`. Creates it if there is none; then it is durable before this resolves. Rejects with `KeyDestroyed`. */
  ensure(ref: KeyRef): Promise<DataKey>;
  /** `ref` with the id that is in use now; only the id of a renewable key depends on what was erased. */
  renewed(ref: KeyRef): Promise<KeyRef>;
  /**
   * Creates a key without storing it. `EventLog.append` may store it together with the events that it encrypts; then
   * call `stored`.
   */
  draft(ref: KeyRef): Promise<NewKey>;
  stored(newKey: NewKey): void;
  /** The keys with these ids in one tenant: `destroyed` for a tombstone, absent if there never was a key. */
  open(tenant: string, ids: readonly string[]): Promise<Map<string, DataKey | 'destroyed'>>;
  /** Destroys keys permanently. Resolves also if one was destroyed before or never existed; then it can never be created. */
  destroy(tenant: string, ...ids: readonly string[]): Promise<void>;
  /** How often the key of the subject was destroyed: the number of the key that it has now, or would get. */
  generation(tenant: string, subject: string): Promise<number>;
  /**
   * Destroys the subject's keys up to this generation permanently, and with them all data keys that they wrap. What is sealed for the
   * subject later has the next generation. Repeatable.
   */
  destroySubject(tenant: string, subject: string, generation: number): Promise<void>;
  /**
   * Destroys the keys of all subjects that the tenant has now. What is sealed in the tenant later has other keys. Each erasure destroys keys
   * once: repeated with the same `erasureId`, it leaves those that were made in between.
   */
  destroyTenant(tenant: string, erasureId: string): Promise<void>;
  /** Number of data keys of the tenant that can be opened. */
  countTenantKeys(tenant: string): Promise<number>;
  /** Number of data keys that the subject's key of this generation wraps, or wrapped, except those destroyed one by one. */
  countKeys(tenant: string, subject: string, generation: number): Promise<number>;
  /** Keyed hash, 128 bits in hex. Equal values have equal pseudonyms, and a pseudonym does not reveal its value. */
  pseudonym(purpose: string, tenant: string, value: string): string;
  close(): Promise<void>;
}

/** A new key was rejected, because the vault has a key with this id or its tombstone. */
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
