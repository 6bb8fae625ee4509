import { LRUCache } from 'lru-cache';
import { Problem } from '../../domain/problems.ts';
import type { Space } from '../../domain/spaces/spaces.ts';
import type { SpaceDirectory } from './space-directory.ts';

/** Bytes of UTF-8 by space. */
export type BytesBySpace = ReadonlyMap<string, number>;

/** Reads what spaces hold, and up to which position of the log that is counted. */
export type ReadBytes = (
  tenant: string,
  spaces: readonly string[],
) => Promise<{ readonly bytes: BytesBySpace; readonly position: number }>;

/** A change by this process that the read model may not have counted yet. */
interface OwnChange {
  readonly added: BytesBySpace;
  /** Undefined until it is in the log. */
  position?: number;
}

interface Usage {
  readonly spaces: ReadonlySet<string>;
  readonly bytes: BytesBySpace;
  readonly position: number;
  readonly readAt: number;
}

/** What a tenant's spaces with a quota hold. */
interface TenantUsage {
  latest?: Usage;
  reading?: Promise<Usage>;
  readonly own: Set<OwnChange>;
}

/** What was read is used for so long: other processes may have written meanwhile. */
const freshMs = 1_000;
/** Before a refusal, what was read may be at most so old. */
const freshForRefusalMs = 100;

/**
 * Keeps spaces within their `maxSizeMb`. What a space holds is what the read model counts, and what this process has appended since the
 * position that the read model has reached, or is about to append. So the writers of one process never pass the quota; several
 * processes can, by what the others wrote while the read model was behind. Nothing is read for memories whose spaces have no quota.
 */
export class SpaceQuotas {
  readonly #directory: SpaceDirectory;
  readonly #tenants = new LRUCache<string, TenantUsage>({ max: 10_000 });
  #read: ReadBytes | undefined;
  #refused = 0;

  constructor(directory: SpaceDirectory) {
    this.#directory = directory;
  }

  /** Changes of memories that this process refused because a space was full. */
  get refused(): number {
    return this.#refused;
  }

  /** Connects the read model. Until then nothing is refused. */
  connect(read: ReadBytes): void {
    this.#read = read;
  }

  /**
   * Appends a change of a memory that holds so many bytes in each space before and after it. Throws `space-quota-exceeded` if a space
   * that grows by it would be larger than its quota.
   */
  async within<Result extends { readonly position: number }>(
    tenant: string,
    before: BytesBySpace,
    after: BytesBySpace,
    append: () => Promise<Result>,
  ): Promise<Result> {
    if (!this.#read || (before.size === 0 && after.size === 0)) return append();
    const { configured } = await this.#directory.of(tenant);
    const limited = [...new Set([...before.keys(), ...after.keys()])].flatMap((id) => {
      const space = configured.get(id);
      return space?.config.maxSizeMb === undefined ? [] : [space];
    });
    if (limited.length === 0) return append();
    const added = new Map(limited.map(({ id }) => [id, (after.get(id) ?? 0) - (before.get(id) ?? 0)]));
    const { usage, change } = await this.#admit(tenant, limited, added);
    try {
      const result = await append();
      change.position = result.position;
      return result;
    } catch (error) {
      usage.own.delete(change);
      throw error;
    }
  }

  /** Notes the change, or throws if it is too large. Nothing is awaited between the check and the note. */
  async #admit(
    tenant: string,
    limited: readonly Space[],
    added: BytesBySpace,
  ): Promise<{ readonly usage: TenantUsage; readonly change: OwnChange }> {
    const usage = this.#tenants.get(tenant) ?? { own: new Set() };
    this.#tenants.set(tenant, usage);
    const ids = limited.map(({ id }) => id);
    let full = fullSpace(await this.#usage(tenant, usage, ids, freshMs), usage.own, limited, added);
    if (full)
      full = fullSpace(await this.#usage(tenant, usage, ids, freshForRefusalMs), usage.own, limited, added);
    if (full) {
      this.#refused++;
      throw full;
    }
    const change: OwnChange = { added };
    usage.own.add(change);
    return { usage, change };
  }

  async #usage(tenant: string, usage: TenantUsage, ids: readonly string[], maxAgeMs: number): Promise<Usage> {
    const { latest } = usage;
    const knows = (known: Usage) => ids.every((id) => known.spaces.has(id));
    if (latest && knows(latest) && performance.now() - latest.readAt <= maxAgeMs) return latest;
    const reading = await (usage.reading ??= this.#readAgain(tenant, usage, ids));
    return knows(reading) ? reading : this.#readAgain(tenant, usage, ids);
  }

  async #readAgain(tenant: string, usage: TenantUsage, ids: readonly string[]): Promise<Usage> {
    try {
      const readAt = performance.now();
      const spaces = new Set([...(usage.latest?.spaces ?? []), ...ids]);
      const { bytes, position } = await this.#read!(tenant, [...spaces]);
      const latest = { spaces, bytes, position, readAt };
      usage.latest = latest;
      for (const change of usage.own)
        if (change.position !== undefined && change.position <= position) usage.own.delete(change);
      return latest;
    } finally {
      delete usage.reading;
    }
  }
}

/** The problem for the first space that would grow beyond its quota. */
function fullSpace(
  { bytes, position }: Usage,
  own: ReadonlySet<OwnChange>,
  limited: readonly Space[],
  added: BytesBySpace,
): Problem | undefined {
  for (const { id, config } of limited) {
    const more = added.get(id) ?? 0;
    if (more <= 0) continue;
    const limitBytes = Math.floor(config.maxSizeMb! * 1e6);
    let usedBytes = bytes.get(id) ?? 0;
    for (const change of own)
      if (change.position === undefined || change.position > position) usedBytes += change.added.get(id) ?? 0;
    if (usedBytes + more <= limitBytes) continue;
    return new Problem(
      'space-quota-exceeded',
      `the space ${id} holds ${usedBytes} of ${limitBytes} bytes, and this needs ${more} more`,
      { extra: { space: id, limitBytes, usedBytes } },
    );
  }
  return undefined;
}
