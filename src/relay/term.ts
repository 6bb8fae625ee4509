import { toRecord, toWatermark, toWithheldRecord } from '../domain/contract/cloud-event.ts';
import { topicsOf } from '../domain/contract/topics.ts';
import type { EventLog, LogPage } from '../ports/event-log.ts';
import { leaseRenewalMs, leaseTtlMs, type Leases } from '../ports/leases.ts';
import { pause } from '../support/pause.ts';
import { maxRecordBytes, recordBytes, type OutgoingRecord, type Transport } from '../ports/transport.ts';
import type { Checkpoint } from './checkpoint.ts';
import { Outbox } from './outbox.ts';

/** Between two watermarks, and between two writes of the checkpoint. */
const pauseMs = 100;
const pageSize = 500;
/** What is under way at the end may still be acknowledged, and need not be sent again then. */
const settleMs = 5_000;

export const relayLease = 'relay';

/** Another process is the relay now, or may be. */
export class TermOver extends Error {
  override readonly name = 'TermOver';
}

export interface TermOptions {
  readonly log: EventLog;
  readonly transport: Transport;
  readonly leases: Leases;
  readonly checkpoint: Checkpoint;
  /** Of the topics' names. */
  readonly prefix: string;
  /** Once it can publish. */
  readonly onBegin: () => void;
  /** After each batch that the brokers acknowledged. */
  readonly onPublished: (events: number, withheld: number) => void;
  /** What the term goes on in spite of. */
  readonly onError: (error: unknown) => void;
}

/**
 * One process's time as the relay: from the checkpoint on it publishes the log in order, as long as it holds the lease.
 * A process that was frozen may still publish what it had in hand when it wakes. Since it too publishes without gap,
 * that is a repetition to all who follow by position, and the checkpoint is no longer its own to move.
 */
export class Term {
  readonly #options: TermOptions;
  readonly #epoch: number;
  readonly #outbox: Outbox;
  readonly #end = new AbortController();
  readonly #over: AbortSignal;
  #heldUntil: number;
  /** Positions: handed over, acknowledged, and written down as such. */
  #put = 0;
  #written = 0;
  #saved = 0;
  #markedAt = -Infinity;
  #marking: NodeJS.Timeout | undefined;

  /** The lease of `epoch` was just taken and ends at `heldUntil` of `performance.now()`. */
  constructor(options: TermOptions, epoch: number, heldUntil: number, signal: AbortSignal) {
    this.#options = options;
    this.#epoch = epoch;
    this.#heldUntil = heldUntil;
    this.#outbox = new Outbox(options.transport);
    this.#over = AbortSignal.any([signal, this.#end.signal, this.#outbox.failed]);
  }

  /** Answers why it is over: `TermOver`, what made it impossible to go on, or the reason of the signal. */
  async run(): Promise<unknown> {
    const loops = [this.#renew(), this.#begin(), this.#saveOnAndOn()];
    await Promise.all(loops.map((loop) => loop.catch((error: unknown) => this.#end.abort(error))));
    clearTimeout(this.#marking);
    await this.#outbox.settled(settleMs);
    await this.#save().catch(this.#options.onError);
    return this.#over.reason;
  }

  async #begin(): Promise<void> {
    const { transport, checkpoint, prefix } = this.#options;
    await transport.ensureTopics(topicsOf(prefix));
    const from = await checkpoint.claim(this.#epoch);
    if (from === undefined) throw new TermOver('another process is the relay already');
    this.#put = this.#written = this.#saved = from;
    this.#mark();
    this.#options.onBegin();
    await this.#publish(from);
  }

  async #publish(after: number): Promise<void> {
    const { log, onPublished } = this.#options;
    for await (const page of log.subscribe({ after, batchSize: pageSize, signal: this.#over })) {
      await this.#outbox.room(this.#over);
      if (this.#over.aborted) return;
      if (!this.#isHeld()) throw new TermOver('the lease ran out before it was renewed');
      const { records, withheld } = this.#recordsOf(page);
      this.#put = page.scannedTo;
      this.#outbox.put(records, () => {
        this.#written = page.scannedTo;
        onPublished(page.events.length, withheld);
      });
      this.#markSoon();
    }
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

  /** The position reached, at once or when enough time has passed since the last one: the last is never left out. */
  #markSoon(): void {
    const wait = this.#markedAt + pauseMs - performance.now();
    if (wait <= 0) this.#mark();
    else this.#marking ??= setTimeout(() => this.#mark(), wait);
  }

  #mark(): void {
    clearTimeout(this.#marking);
    this.#marking = undefined;
    this.#markedAt = performance.now();
    if (!this.#isHeld()) return;
    const watermark = toWatermark(this.#put, this.#options.log.logId);
    const records = topicsOf(this.#options.prefix).flatMap(({ name: topic, partitions }) =>
      Array.from({ length: partitions }, (_, partition) => ({ ...watermark, topic, partition })),
    );
    this.#outbox.put(records);
  }

  async #saveOnAndOn(): Promise<void> {
    for (; !this.#over.aborted; await pause(pauseMs, this.#over)) {
      const saved = await this.#save().catch(this.#options.onError);
      if (saved === false) throw new TermOver('another process is the relay by now');
    }
  }

  async #save(): Promise<boolean> {
    const position = this.#written;
    if (position === this.#saved) return true;
    const saved = await this.#options.checkpoint.save(position, this.#epoch);
    if (saved) this.#saved = position;
    return saved;
  }

  /** An unreachable database ends nothing before the lease does: it may be back by then. */
  async #renew(): Promise<void> {
    for (;;) {
      await pause(leaseRenewalMs, this.#over);
      if (this.#over.aborted) return;
      const askedAt = performance.now();
      try {
        const epoch = await this.#options.leases.hold(relayLease);
        if (epoch !== this.#epoch) throw new TermOver('another process holds the lease');
        this.#heldUntil = askedAt + leaseTtlMs;
      } catch (error) {
        if (error instanceof TermOver || !this.#isHeld()) throw error;
        this.#options.onError(error);
      }
    }
  }

  #isHeld(): boolean {
    return performance.now() < this.#heldUntil;
  }
}
