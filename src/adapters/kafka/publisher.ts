import { GroupCommitter } from '../../support/resilience/group-committer.ts';
import { retry } from '../../support/resilience/retry.ts';
import { abandonAfter } from '../../support/resilience/time-limit.ts';
import {
  maxRecordBytes,
  recordBytes,
  RecordTooLarge,
  TransportUnavailable,
  type OutgoingRecord,
} from '../../ports/transport.ts';
import { KafkaRefused, losesProducer, translate } from './errors.ts';
import { partitionOf } from './murmur2.ts';
import type { KafkaTransportOptions } from './options.ts';
import { IdempotentProducer, type PlacedRecord } from './producer.ts';

const requestBytes = 1024 * 1024;
const requestRecords = 2000;
const backoff = { firstMs: 100, longestMs: 1000 };
const drainMs = 5000;

/**
 * Writes records in the order of the calls. One request is in flight at a time; records of calls that arrive meanwhile are
 * written together afterwards. If a request fails for good, all waiting calls fail too, so that no record overtakes another.
 */
export class Publisher {
  readonly #options: KafkaTransportOptions;
  readonly #partitions: (topic: string) => Promise<number>;
  readonly #timeoutMs: number;
  readonly #closing = new AbortController();
  readonly #committer: GroupCommitter<readonly OutgoingRecord[], void>;
  #producer: IdempotentProducer | undefined;

  constructor(options: KafkaTransportOptions, partitions: (topic: string) => Promise<number>) {
    this.#options = options;
    this.#partitions = partitions;
    this.#timeoutMs = options.publishTimeoutMs ?? 60_000;
    this.#committer = new GroupCommitter((calls) => this.#write(calls), {
      sizeOf: shareOfRequest,
      maxSize: 1,
      rejectWaiting: (cause) => new TransportUnavailable('a publish before this one failed', { cause }),
    });
  }

  async publish(records: readonly OutgoingRecord[]): Promise<void> {
    for (const record of records) check(record);
    if (this.#closing.signal.aborted) throw closed();
    if (records.length === 0) return;
    await this.#committer.add(records);
  }

  /** Waits five seconds at most for calls in progress, then rejects the rest. */
  async close(): Promise<void> {
    const flushed = await abandonAfter(drainMs, () => this.#committer.flush()).then(
      () => true,
      () => false,
    );
    this.#closing.abort();
    if (!flushed) this.#producer?.cut();
    await this.#committer.flush();
    await this.#producer?.close();
  }

  async #write(calls: readonly (readonly OutgoingRecord[])[]): Promise<readonly void[]> {
    try {
      for (const request of requestsOf(calls.flat())) await this.#writeRequest(request);
    } catch (error) {
      // The sequence numbers are unreliable after a failure: the next request starts with a new producer.
      this.#dropProducer();
      throw error;
    }
    return calls.map(() => undefined);
  }

  async #writeRequest(records: readonly OutgoingRecord[]): Promise<void> {
    await retry(() => this.#attempt(records), {
      ...backoff,
      deadlineMs: this.#timeoutMs,
      signal: this.#closing.signal,
      isRetryable: (error) => error instanceof TransportUnavailable,
    }).catch((error: unknown) => {
      throw this.#closing.signal.aborted && error instanceof TransportUnavailable ? closed() : error;
    });
  }

  async #attempt(records: readonly OutgoingRecord[]): Promise<void> {
    if (this.#closing.signal.aborted) throw closed();
    try {
      const placed = await this.#place(records);
      this.#producer ??= new IdempotentProducer(this.#options);
      await this.#producer.send(placed);
    } catch (error) {
      if (losesProducer(error)) this.#dropProducer();
      throw translate(error);
    }
  }

  #dropProducer(): void {
    const dropped = this.#producer;
    this.#producer = undefined;
    dropped?.cut();
  }

  async #place(records: readonly OutgoingRecord[]): Promise<PlacedRecord[]> {
    const placed: PlacedRecord[] = [];
    for (const { topic, key, partition, value, headers } of records) {
      const count = await this.#partitions(topic);
      const place = partition ?? partitionOf(key!, count);
      if (place >= count) throw new KafkaRefused(`the topic ${topic} has no partition ${place}`);
      placed.push({ topic, key, partition: place, value, headers: { ...headers } });
    }
    return placed;
  }
}

/** Share of the limits of one request that the records take up. */
function shareOfRequest(records: readonly OutgoingRecord[]): number {
  const bytes = records.reduce((sum, record) => sum + recordBytes(record), 0);
  return Math.max(bytes / requestBytes, records.length / requestRecords);
}

/** Splits the records, in order, into requests within the limits; a larger record gets a request of its own. */
function* requestsOf(records: readonly OutgoingRecord[]): Generator<readonly OutgoingRecord[]> {
  let first = 0;
  let bytes = 0;
  for (const [index, record] of records.entries()) {
    const size = recordBytes(record);
    if (index > first && (bytes + size > requestBytes || index - first >= requestRecords)) {
      yield records.slice(first, index);
      first = index;
      bytes = 0;
    }
    bytes += size;
  }
  yield records.slice(first);
}

function check(record: OutgoingRecord): void {
  if (record.key === null && record.partition === undefined)
    throw new TypeError('a record without a key must name its partition');

  const bytes = recordBytes(record);
  if (bytes > maxRecordBytes)
    throw new RecordTooLarge(`a record of ${bytes} bytes: the limit is ${maxRecordBytes}`);
}

function closed(): TransportUnavailable {
  return new TransportUnavailable('the transport was closed');
}
