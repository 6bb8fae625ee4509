import { setImmediate } from 'node:timers/promises';
import { pause } from '../../support/pause.ts';
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
const firstRetryMs = 100;
const longestRetryMs = 1000;
const drainMs = 5000;

interface Publishing {
  readonly records: readonly OutgoingRecord[];
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Writes records in the order of the calls: one request is under way at a time, and what is called meanwhile goes into
 * the next ones together. Where one fails for good, all that wait behind it fail too, so that none overtakes it.
 */
export class Publisher {
  readonly #options: KafkaTransportOptions;
  readonly #partitions: (topic: string) => Promise<number>;
  readonly #timeoutMs: number;
  readonly #closing = new AbortController();
  #waiting: Publishing[] = [];
  #draining: Promise<void> | undefined;
  #producer: IdempotentProducer | undefined;

  constructor(options: KafkaTransportOptions, partitions: (topic: string) => Promise<number>) {
    this.#options = options;
    this.#partitions = partitions;
    this.#timeoutMs = options.publishTimeoutMs ?? 60_000;
  }

  async publish(records: readonly OutgoingRecord[]): Promise<void> {
    for (const record of records) check(record);
    if (this.#closing.signal.aborted) throw closed();
    if (records.length === 0) return;
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ records, resolve, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Lets what is under way end, for five seconds at most, and rejects the rest. */
  async close(): Promise<void> {
    const patience = new AbortController();
    const late = pause(drainMs, patience.signal);
    await Promise.race([this.#draining, late]);
    patience.abort();
    this.#closing.abort();
    if (this.#draining) this.#producer?.cut();
    await this.#draining;
    await this.#producer?.close();
  }

  async #drain(): Promise<void> {
    // What is called in the same turn belongs into the same request.
    await setImmediate();
    while (this.#waiting.length > 0) {
      const taken = this.#take();
      try {
        await this.#write(taken.flatMap(({ records }) => records));
        for (const { resolve } of taken) resolve();
      } catch (error) {
        for (const { reject } of taken) reject(error as Error);
        const behind = new TransportUnavailable('a publish before this one failed', { cause: error });
        for (const { reject } of this.#waiting.splice(0)) reject(behind);
      }
    }
    this.#draining = undefined;
  }

  /** As many calls as fit into one request, one at least. */
  #take(): Publishing[] {
    let count = 0;
    let bytes = 0;
    let records = 0;
    for (const waiting of this.#waiting) {
      bytes += waiting.records.reduce((sum, record) => sum + recordBytes(record), 0);
      records += waiting.records.length;
      if (count > 0 && (bytes > requestBytes || records > requestRecords)) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #write(records: readonly OutgoingRecord[]): Promise<void> {
    try {
      for (const request of requestsOf(records)) await this.#writeRequest(request);
    } catch (error) {
      // Its numbers are not to be trusted any more: the next request begins with a new producer.
      const failed = this.#producer;
      this.#producer = undefined;
      failed?.cut();
      throw error;
    }
  }

  async #writeRequest(records: readonly OutgoingRecord[]): Promise<void> {
    const end = Date.now() + this.#timeoutMs;
    for (let wait = firstRetryMs; ; wait = Math.min(wait * 2, longestRetryMs)) {
      if (this.#closing.signal.aborted) throw closed();
      try {
        const placed = await this.#place(records);
        this.#producer ??= new IdempotentProducer(this.#options);
        await this.#producer.send(placed);
        return;
      } catch (error) {
        const failure = translate(error);
        if (!(failure instanceof TransportUnavailable) || Date.now() >= end) throw failure;
        if (losesProducer(error)) {
          this.#producer?.cut();
          this.#producer = undefined;
        }
        await pause(wait, this.#closing.signal);
      }
    }
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

/** In order, each small enough for one request; a record that is larger has one of its own. */
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
    throw new RecordTooLarge(`a record of ${bytes} bytes: ${maxRecordBytes} are the most`);
}

function closed(): TransportUnavailable {
  return new TransportUnavailable('the transport was closed');
}
