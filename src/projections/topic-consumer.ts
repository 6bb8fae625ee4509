import { fromRecord, type TopicRecord } from '../domain/contract/cloud-event.ts';
import type { EventLog, RecordedEvent } from '../ports/event-log.ts';
import type { AssignedPartition, ReceivedBatch, ReceivedRecord, TopicPartition } from '../ports/transport.ts';
import type { CheckpointWriter } from '../follow/checkpoint-writer.ts';
import { allDone } from '../support/all-done.ts';
import type { Checkpoint } from '../follow/checkpoints.ts';
import type { Generation } from './generation.ts';
import type { LogGaps } from './log-gaps.ts';
import type { OpenedCache } from './opened-cache.ts';
import { nameOf } from './topic-partitions.ts';

/** A partition that is assigned to this member of the group. */
interface Assignment {
  /** Undefined if it must be read again from the database. */
  state: Checkpoint | undefined;
  /** Whether the next records follow the checkpoint without a gap. */
  isContinuous: boolean;
  /** True until the first record arrives, which is the last one from before the assignment. */
  expectsLastRecord: boolean;
  /** The offset of the next record, if it is known. */
  next: string | undefined;
}

/** The records of a batch that are beyond the checkpoint. */
interface Unseen {
  /** Events up to here are missing in the topic and must be read from the log. */
  readonly gapTo: number | undefined;
  readonly records: readonly LogRecord[];
  readonly to: number;
}

/** A record of the relay: an event, the place of a withheld event, or a watermark. */
type LogRecord = Exclude<TopicRecord, { kind: 'foreign' }>;

export interface TopicServices {
  readonly log: EventLog;
  readonly checkpointWriter: CheckpointWriter;
  readonly opened: OpenedCache;
  readonly gaps: LogGaps;
  readonly prefix: string;
}

/** A member of the consumer group of one generation. */
export class TopicConsumer {
  readonly #generation: Generation;
  readonly #services: TopicServices;
  readonly #assignments = new Map<string, Assignment>();
  readonly #signal: AbortSignal;
  readonly #onProgress: () => void;

  /** `signal` ends reading from the log; `onProgress` is called whenever a checkpoint has moved. */
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

  /** Whether any partition is assigned to this member. */
  get hasPartitions(): boolean {
    return this.#assignments.size > 0;
  }

  /**
   * Catches the partitions up from the log, whose head is beyond what the topics hold. `handle` still receives the last record from before
   * the assignment: if it is beyond the head, the log was restored from a backup.
   */
  async assigned(partitions: readonly AssignedPartition[]): Promise<void> {
    const { log, prefix } = this.#services;
    this.#assignments.clear();
    for (const partition of partitions) {
      const assignment = {
        state: undefined,
        isContinuous: false,
        expectsLastRecord: true,
        next: partition.next,
      };
      this.#assignments.set(nameOf(partition, prefix), assignment);
    }
    const given = new Map(this.#assignments);
    const head = await log.head();
    const states = await this.#generation.checkpoints.states([...given.keys()]);
    const catchUps = states.map(async (state) => {
      const partition = state.partitions[0]!;
      const assignment = given.get(partition)!;
      const read = await this.#readLog(partition, assignment, state, head);
      assignment.state = await this.#advance(partition, read, head);
    });
    await allDone(catchUps);
  }

  revoked(partitions: readonly TopicPartition[]): void {
    for (const partition of partitions) this.#assignments.delete(nameOf(partition, this.#services.prefix));
  }

  /** Rejects if the batch must be delivered again: a server is unavailable, or another member has moved the checkpoint. */
  async handle(batch: ReceivedBatch): Promise<void> {
    const partition = nameOf(batch, this.#services.prefix);
    const assignment = this.#assignments.get(partition);
    // The partition was revoked meanwhile: its new member receives the batch again.
    if (!assignment) throw this.#generation.checkpoints.moved();
    // The topic deleted records before they were delivered.
    if (assignment.next !== batch.records[0]?.offset)
      assignment.isContinuous = assignment.expectsLastRecord = false;
    try {
      const state = (assignment.state ??= await this.#generation.checkpoint([partition]));
      const unseen = this.#unseen(batch.records, state.position, assignment);
      if (unseen.to > state.position) {
        assignment.state = await this.#take(partition, assignment, unseen, state);
        this.#onProgress();
      }
      assignment.next = String(BigInt(batch.records.at(-1)!.offset) + 1n);
    } catch (error) {
      assignment.state = undefined;
      assignment.isContinuous = false;
      throw error;
    }
  }

  /** Skips records that the relay has written again after a crash, and records of another log. */
  #unseen(batch: readonly ReceivedRecord[], position: number, assignment: Assignment): Unseen {
    let to = position;
    let gapTo: number | undefined;
    const records: LogRecord[] = [];
    for (const received of batch) {
      const record = fromRecord(received);
      if (record.kind === 'foreign' || record.logId !== this.#services.log.logId) continue;
      const position = positionOf(record);
      // `assigned` read the log up to its head. If that is beyond this record, the next records follow without a gap.
      if (assignment.expectsLastRecord) assignment.isContinuous = position <= to;
      assignment.expectsLastRecord = false;
      if (position <= to) continue;
      if (!assignment.isContinuous) gapTo = record.kind === 'watermark' ? position : position - 1;
      assignment.isContinuous = true;
      to = position;
      records.push(record);
    }
    return { gapTo, records, to };
  }

  async #take(
    partition: string,
    assignment: Assignment,
    unseen: Unseen,
    state: Checkpoint,
  ): Promise<Checkpoint> {
    let now = state;
    let { to } = unseen;
    if (unseen.gapTo !== undefined) {
      // Up to the head: after a late record of a relay that was frozen, deleted records may be missing too.
      const gapTo = Math.max(unseen.gapTo, await this.#services.log.head());
      now = await this.#readLog(partition, assignment, now, gapTo);
      to = Math.max(to, gapTo);
    }
    const recorded = await this.#eventsOf(partition, unseen.records);
    if (recorded.length > 0) {
      const opened = await this.#services.opened.open(recorded);
      return this.#generation.apply({ ...opened, scannedTo: to }, now);
    }
    return this.#advance(partition, now, to);
  }

  /** Applies the events of the partition in the log up to `to`. Stops if the partition is revoked. */
  async #readLog(
    partition: string,
    assignment: Assignment,
    state: Checkpoint,
    to: number,
  ): Promise<Checkpoint> {
    const { gaps } = this.#services;
    let now = state;
    for await (const page of gaps.read(this.#generation, partition, now.position, to)) {
      if (this.#signal.aborted || this.#assignments.get(partition) !== assignment)
        throw this.#generation.checkpoints.moved();
      now = await this.#generation.apply(page, now);
      this.#onProgress();
    }
    return now;
  }

  async #advance(partition: string, state: Checkpoint, to: number): Promise<Checkpoint> {
    const { position } = state;
    if (to <= position) return state;
    await this.#services.checkpointWriter.write({
      of: this.#generation.checkpoints,
      partition,
      from: position,
      to,
    });
    return { ...state, position: to };
  }

  /** The events that the generation handles. An event that was too large for the transport is read from the log. */
  async #eventsOf(partition: string, records: readonly LogRecord[]): Promise<RecordedEvent[]> {
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

function positionOf(record: LogRecord): number {
  if (record.kind === 'watermark') return record.position;
  return record.kind === 'event' ? record.event.position : record.place.position;
}
