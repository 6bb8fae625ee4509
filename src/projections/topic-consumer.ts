import { fromRecord, type TopicRecord } from '../domain/contract/cloud-event.ts';
import type { EventLog, RecordedEvent } from '../ports/event-log.ts';
import type { AssignedPartition, ReceivedBatch, ReceivedRecord, TopicPartition } from '../ports/transport.ts';
import type { BookmarkWriter } from './bookmark-writer.ts';
import { allDone } from './all-done.ts';
import type { BookmarkState } from './bookmarks.ts';
import type { Generation } from './generation.ts';
import type { LogGaps } from './log-gaps.ts';
import type { OpenedCache } from './opened-cache.ts';
import { nameOf } from './topic-partitions.ts';

/** A partition that this member of the group was given. */
interface Place {
  /** Undefined where it has to be read again. */
  state: BookmarkState | undefined;
  /** Whether the records that come follow what the generation has seen, without a gap. */
  isContinuous: boolean;
  /** Whether the next record is the last that was there before the assignment. */
  isNew: boolean;
  /** The offset of the next record, where it is known. */
  next: string | undefined;
}

/** What the records of a batch say that the generation has not seen yet. */
interface Unseen {
  /** The log holds what lies up to here and no record told. */
  readonly gapTo: number | undefined;
  readonly records: readonly Told[];
  readonly to: number;
}

type Told = Exclude<TopicRecord, { kind: 'foreign' }>;

export interface TopicServices {
  readonly log: EventLog;
  readonly bookmarkWriter: BookmarkWriter;
  readonly opened: OpenedCache;
  readonly gaps: LogGaps;
  readonly prefix: string;
}

/** One generation as a member of its consumer group. */
export class TopicConsumer {
  readonly #generation: Generation;
  readonly #services: TopicServices;
  readonly #places = new Map<string, Place>();
  readonly #signal: AbortSignal;

  readonly #onProgress: () => void;

  /** `signal` ends reading from the log; `onProgress` is called whenever a bookmark has moved. */
  constructor(
    generation: Generation,
    services: TopicServices,
    signal: AbortSignal,
    onProgress: () => void = () => {},
  ) {
    this.#generation = generation;
    this.#services = services;
    this.#signal = signal;
    this.#onProgress = onProgress;
  }

  /** Whether this member keeps any partition up with the log. */
  get hasPartitions(): boolean {
    return this.#places.size > 0;
  }

  /**
   * Brings the partitions up with the log, whose head is beyond what the topics hold already. The last record that was
   * there comes to `handle` all the same: it tells of a log that was not.
   */
  async assigned(partitions: readonly AssignedPartition[]): Promise<void> {
    const { log, prefix } = this.#services;
    this.#places.clear();
    for (const partition of partitions) {
      const place = { state: undefined, isContinuous: false, isNew: true, next: partition.next };
      this.#places.set(nameOf(partition, prefix), place);
    }
    const given = new Map(this.#places);
    const head = await log.head();
    const states = await this.#generation.bookmarks.states([...given.keys()]);
    const catchUps = states.map(async (state) => {
      const partition = state.partitions[0]!;
      const place = given.get(partition)!;
      const read = await this.#readLog(partition, place, state, head);
      place.state = await this.#advance(partition, read, head);
    });
    await allDone(catchUps);
  }

  revoked(partitions: readonly TopicPartition[]): void {
    for (const partition of partitions) this.#places.delete(nameOf(partition, this.#services.prefix));
  }

  /** Rejects where the batch is to come again: something is away, or another member has moved the bookmark. */
  async handle(batch: ReceivedBatch): Promise<void> {
    const partition = nameOf(batch, this.#services.prefix);
    const place = this.#places.get(partition);
    // It was revoked on the way here: who has it now is given the batch again.
    if (!place) throw this.#generation.bookmarks.moved();
    // The topic let go of records before they came here.
    if (place.next !== batch.records[0]?.offset) place.isContinuous = place.isNew = false;
    try {
      const state = (place.state ??= await this.#generation.bookmarkState([partition]));
      const unseen = this.#unseen(batch.records, state.bookmark, place);
      if (unseen.to > state.bookmark) {
        place.state = await this.#take(partition, place, unseen, state);
        this.#onProgress();
      }
      place.next = String(BigInt(batch.records.at(-1)!.offset) + 1n);
    } catch (error) {
      place.state = undefined;
      place.isContinuous = false;
      throw error;
    }
  }

  /** The relay may write records again after a crash: those tell nothing, nor does what is not of this log. */
  #unseen(batch: readonly ReceivedRecord[], bookmark: number, place: Place): Unseen {
    let to = bookmark;
    let gapTo: number | undefined;
    const records: Told[] = [];
    for (const received of batch) {
      const record = fromRecord(received);
      if (record.kind === 'foreign' || record.logId !== this.#services.log.logId) continue;
      const position = positionOf(record);
      // The log was as far as the topic: nothing is missing between them.
      if (place.isNew) place.isContinuous = position <= to;
      place.isNew = false;
      if (position <= to) continue;
      if (!place.isContinuous) gapTo = record.kind === 'watermark' ? position : position - 1;
      place.isContinuous = true;
      to = position;
      records.push(record);
    }
    return { gapTo, records, to };
  }

  async #take(partition: string, place: Place, unseen: Unseen, state: BookmarkState): Promise<BookmarkState> {
    let now = state;
    let { to } = unseen;
    if (unseen.gapTo !== undefined) {
      // Not only up to the first record: one that a frozen relay wrote late may stand before others that are gone.
      const gapTo = Math.max(unseen.gapTo, await this.#services.log.head());
      now = await this.#readLog(partition, place, now, gapTo);
      to = Math.max(to, gapTo);
    }
    const recorded = await this.#eventsOf(partition, unseen.records);
    if (recorded.length > 0) {
      const opened = await this.#services.opened.open(recorded);
      return this.#generation.apply({ ...opened, scannedTo: to }, now);
    }
    return this.#advance(partition, now, to);
  }

  /** Applies the events that the log holds of the partition up to `to`; stops where the partition was lost. */
  async #readLog(partition: string, place: Place, state: BookmarkState, to: number): Promise<BookmarkState> {
    const { gaps } = this.#services;
    let now = state;
    for await (const page of gaps.read(this.#generation, partition, now.bookmark, to)) {
      if (this.#signal.aborted || this.#places.get(partition) !== place)
        throw this.#generation.bookmarks.moved();
      now = await this.#generation.apply(page, now);
      this.#onProgress();
    }
    return now;
  }

  async #advance(partition: string, state: BookmarkState, to: number): Promise<BookmarkState> {
    const { bookmark } = state;
    if (to <= bookmark) return state;
    await this.#services.bookmarkWriter.write({
      of: this.#generation.bookmarks,
      partition,
      from: bookmark,
      to,
    });
    return { ...state, bookmark: to };
  }

  /** The events that the generation takes; one that was too large for the transport stands in the log alone. */
  async #eventsOf(partition: string, records: readonly Told[]): Promise<RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    for (const record of records) {
      if (record.kind === 'watermark') continue;
      const { stream, type, revision } = record.kind === 'event' ? record.event : record.place;
      if (!this.#generation.takes(partition, stream, type)) continue;
      if (record.kind === 'event') events.push(record.event);
      else events.push(...(await this.#services.log.readStream(stream, { from: revision, limit: 1 })));
    }
    return events;
  }
}

function positionOf(record: Told): number {
  if (record.kind === 'watermark') return record.position;
  return record.kind === 'event' ? record.event.position : record.place.position;
}
