import { toRecord, toWatermark, toWithheldRecord } from '../domain/contract/cloud-event.ts';
import { topicsOf } from '../domain/contract/topics.ts';
import type { EventLog, LogPage } from '../ports/event-log.ts';
import { maxRecordBytes, recordBytes, type OutgoingRecord, type Transport } from '../ports/transport.ts';
import { followLog } from '../follow/follow-log.ts';
import { LeaseLost, type EventProcessor, type Term } from '../follow/processor.ts';
import { pause } from '../support/pause.ts';
import type { RelayCheckpoint } from './checkpoint.ts';
import { Outbox } from './outbox.ts';

/** Shortest time between two watermarks, and between two writes of the checkpoint. */
const intervalMs = 100;
const pageSize = 500;
/** How long to wait at the end for acknowledgements: what is acknowledged need not be sent again. */
const settleMs = 5_000;

export interface PublicationOptions {
  readonly log: EventLog;
  readonly transport: Transport;
  readonly checkpoint: RelayCheckpoint;
  /** Prefix of the topic names. */
  readonly prefix: string;
  /** Called after each batch that the brokers acknowledged. */
  readonly onPublished: (events: number, withheld: number) => void;
}

/** The event processor that publishes the log to the topics. */
export function relayProcessor(options: PublicationOptions): EventProcessor {
  return { name: 'relay', sharing: 'lease', run: (term) => new Publication(options, term).run() };
}

/**
 * One term as the relay: publishes the log in order from the checkpoint on. The checkpoint moves after the acknowledgement, and only
 * while no later epoch has begun. A process that was frozen may still publish its buffered events when it wakes up. It cannot move the
 * checkpoint, and what it publishes has no gaps either, so consumers that follow by position see a repetition.
 */
class Publication {
  readonly #options: PublicationOptions;
  readonly #term: Term;
  readonly #outbox: Outbox;
  /** Positions up to which the log is handed to the transport, acknowledged, and saved as the checkpoint. */
  #put = 0;
  #acknowledged = 0;
  #saved = 0;
  #watermarkAt = -Infinity;
  #nextWatermark: NodeJS.Timeout | undefined;

  constructor(options: PublicationOptions, term: Term) {
    this.#options = options;
    this.#term = term;
    this.#outbox = new Outbox(options.transport);
  }

  async run(): Promise<void> {
    const { transport, checkpoint, log, prefix } = this.#options;
    const term = this.#term;
    await transport.ensureTopics(topicsOf(prefix));
    const from = await checkpoint.claim(term.epoch);
    if (from === undefined) throw new LeaseLost('another process is the relay already');
    this.#put = this.#acknowledged = this.#saved = from;
    const { failed } = this.#outbox;
    failed.addEventListener('abort', () => term.fail(failed.reason));
    this.#putWatermark();
    const saving = this.#saveRegularly().catch((error: unknown) => term.fail(error));
    const pages = log.subscribe({ after: from, batchSize: pageSize, signal: term.signal });
    await followLog(term, from, pages, (page) => this.#publish(page)).catch((error: unknown) =>
      term.fail(error),
    );
    clearTimeout(this.#nextWatermark);
    await saving;
    await this.#outbox.settled(settleMs);
    await this.#save().catch((error: unknown) => term.report(error));
  }

  async #publish(page: LogPage): Promise<void> {
    await this.#outbox.room(this.#term.signal);
    if (this.#term.signal.aborted) return;
    if (!this.#term.isHeld) throw new LeaseLost('the lease expired before it was renewed');
    const { records, withheld } = this.#recordsOf(page);
    this.#put = page.scannedTo;
    this.#outbox.put(records, () => {
      this.#acknowledged = page.scannedTo;
      this.#options.onPublished(page.events.length, withheld);
    });
    this.#putWatermarkSoon();
  }

  #recordsOf({ events }: LogPage): { records: OutgoingRecord[]; withheld: number } {
    const source = { logId: this.#options.log.logId, prefix: this.#options.prefix };
    let withheld = 0;
    const records = events.map((event) => {
      const record = toRecord(event, source);
      if (recordBytes(record) <= maxRecordBytes) return record;
      withheld++;
      return toWithheldRecord(event, source);
    });
    return { records, withheld };
  }

  /** At once, or when enough time has passed since the previous watermark. The last position always gets one. */
  #putWatermarkSoon(): void {
    const waitMs = this.#watermarkAt + intervalMs - performance.now();
    if (waitMs <= 0) this.#putWatermark();
    else this.#nextWatermark ??= setTimeout(() => this.#putWatermark(), waitMs);
  }

  /** Tells every partition up to which position it is complete. */
  #putWatermark(): void {
    clearTimeout(this.#nextWatermark);
    this.#nextWatermark = undefined;
    this.#watermarkAt = performance.now();
    if (!this.#term.isHeld) return;
    const watermark = toWatermark(this.#put, this.#options.log.logId);
    const records = topicsOf(this.#options.prefix).flatMap(({ name: topic, partitions }) =>
      Array.from({ length: partitions }, (_, partition) => ({ ...watermark, topic, partition })),
    );
    this.#outbox.put(records);
  }

  async #saveRegularly(): Promise<void> {
    const { signal } = this.#term;
    for (; !signal.aborted; await pause(intervalMs, signal)) {
      const saved = await this.#save().catch((error: unknown) => this.#term.report(error));
      if (saved === false) throw new LeaseLost('another process has become the relay');
    }
  }

  async #save(): Promise<boolean> {
    const position = this.#acknowledged;
    if (position === this.#saved) return true;
    const isSaved = await this.#options.checkpoint.save(position, this.#term.epoch);
    if (isSaved) {
      this.#saved = position;
      this.#term.reached(position);
    }
    return isSaved;
  }
}
