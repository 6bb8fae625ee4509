import type { PlacedRecord } from './record.ts';

/** Revision of a tombstone, and `$tb` of a soft-deleted stream. */
export const lastPossibleRevision = 2n ** 63n - 1n;

/** The limits in a stream's metadata that hide events from readers. */
interface Limits {
  readonly maxCount: bigint | undefined;
  readonly maxAgeMs: number | undefined;
  readonly truncateBefore: bigint;
}

const noLimits: Limits = { maxCount: undefined, maxAgeMs: undefined, truncateBefore: 0n };

/** The events of one stream in order, with the limits that hide some of them. */
export class StreamState {
  readonly events: PlacedRecord[] = [];
  #limits = noLimits;
  tombstoned = false;

  add(record: PlacedRecord): void {
    if (record.revision === lastPossibleRevision) this.tombstoned = true;
    else this.events.push(record);
  }

  /** Applies an event of the `$$` stream, which sets the limits. */
  limit({ data }: PlacedRecord): void {
    const text = new TextDecoder().decode(data);
    // The largest truncation exceeds the range of exact JavaScript numbers.
    const softlyDeleted = text.includes(`"$tb":${lastPossibleRevision}`);
    const metadata = JSON.parse(text) as Record<string, unknown>;
    const { $maxCount: count, $maxAge: age, $tb: before } = metadata;
    this.#limits = {
      maxCount: typeof count === 'number' ? BigInt(count) : undefined,
      maxAgeMs: typeof age === 'number' ? age * 1_000 : undefined,
      truncateBefore: softlyDeleted ? lastPossibleRevision : typeof before === 'number' ? BigInt(before) : 0n,
    };
  }

  /** -1 for a stream without events. */
  get lastRevision(): bigint {
    return this.events.at(-1)?.revision ?? -1n;
  }

  get softlyDeleted(): boolean {
    return this.#limits.truncateBefore === lastPossibleRevision;
  }

  at(revision: bigint): PlacedRecord | undefined {
    return this.events[Number(revision)];
  }

  /** Whether a reader of the stream sees this event now. */
  shows({ revision, created }: PlacedRecord): boolean {
    const { maxCount, maxAgeMs, truncateBefore } = this.#limits;
    if (revision < truncateBefore) return false;
    if (maxCount !== undefined && revision <= this.lastRevision - maxCount) return false;
    return maxAgeMs === undefined || created >= Date.now() - maxAgeMs;
  }
}
