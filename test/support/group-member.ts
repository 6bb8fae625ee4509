import { expect } from 'vitest';
import type {
  AssignedPartition,
  ReceivedBatch,
  ReceivedRecord,
  TopicPartition,
  Transport,
} from '../../src/ports/transport.ts';

export interface MemberOptions {
  readonly group: string;
  readonly topics: readonly string[];
  readonly from?: 'committed' | 'assignment';
  readonly assigned?: (partitions: readonly AssignedPartition[]) => Promise<void>;
  /** Runs before the records count as received. If it rejects, the handler rejects. */
  readonly handle?: (batch: ReceivedBatch) => Promise<void> | void;
}

export interface Received extends ReceivedRecord, TopicPartition {}

/** A member of a consumer group that records everything it receives, and checks that the transport keeps to its contract. */
export class Member {
  /** Records whose handler succeeded, in order. */
  readonly received: Received[] = [];
  /** Every batch passed to a handler, whether it succeeded or not. */
  readonly batches: ReceivedBatch[] = [];
  readonly errors: unknown[] = [];
  /** Violations of the port's contract by the transport. */
  readonly violations: string[] = [];
  assignments = 0;
  revocations = 0;
  readonly #stop = new AbortController();
  readonly #left: Promise<void>;
  readonly #working = new Set<string>();
  #partitions: readonly TopicPartition[] = [];
  over = false;

  constructor(transport: Transport, options: MemberOptions) {
    this.#left = transport
      .consume({
        group: options.group,
        topics: options.topics,
        from: options.from,
        assigned: async (partitions) => {
          if (this.#working.size > 0) this.violations.push('assigned while a handle ran');
          await options.assigned?.(partitions);
          this.#partitions = partitions;
          this.assignments++;
        },
        revoked: () => {
          this.#partitions = [];
          this.revocations++;
        },
        handle: (batch) => this.#handle(batch, options.handle),
        onError: (error) => this.errors.push(error),
        signal: this.#stop.signal,
      })
      .finally(() => {
        this.over = true;
      });
  }

  /** The partitions that it holds now, as `topic/partition`. */
  get places(): string[] {
    return this.#partitions.map(placeOf).toSorted();
  }

  get values(): string[] {
    return this.received.map(({ value }) => value);
  }

  async holds(count: number): Promise<void> {
    await expect.poll(() => this.places.length, { timeout: 30_000 }).toBe(count);
  }

  async receives(count: number): Promise<void> {
    await expect.poll(() => this.received.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(count);
  }

  async leave(): Promise<void> {
    this.#stop.abort();
    await this.#left;
    expect(this.violations).toEqual([]);
    expect(this.#working.size).toBe(0);
  }

  async #handle(batch: ReceivedBatch, handle: MemberOptions['handle']): Promise<void> {
    const place = placeOf(batch);
    this.#check(batch, place);
    this.batches.push(batch);
    this.#working.add(place);
    try {
      await handle?.(batch);
      const { topic, partition, records } = batch;
      this.received.push(...records.map((record) => ({ topic, partition, ...record })));
    } finally {
      this.#working.delete(place);
    }
  }

  #check({ records }: ReceivedBatch, place: string): void {
    if (this.#stop.signal.aborted) this.violations.push(`a handle began after the member left: ${place}`);
    if (this.#working.has(place)) this.violations.push(`two handles at a time on ${place}`);
    if (!this.places.includes(place)) this.violations.push(`${place} was handled without being assigned`);
    if (records.length === 0) this.violations.push(`an empty batch of ${place}`);
    for (const [index, { offset }] of records.entries())
      if (BigInt(offset) !== BigInt(records[0]!.offset) + BigInt(index))
        this.violations.push(`a gap before ${offset} in ${place}`);
  }
}

export function placeOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

/** Values by key, in the order they were received. */
export function valuesByKey(records: readonly Received[]): Map<string, string[]> {
  const byKey = new Map<string, string[]>();
  for (const { key, value } of records) {
    if (key === null) continue;
    const values = byKey.get(key) ?? [];
    byKey.set(key, values);
    values.push(value);
  }
  return byKey;
}
