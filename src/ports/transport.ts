/** Definition of a topic. Its number of partitions never changes, because keys must keep their partition; more partitions need a new topic. */
export interface TopicDefinition {
  readonly name: string;
  readonly partitions: number;
  /** How long records are kept; forever by default. */
  readonly retentionMs?: number;
}

export interface OutgoingRecord {
  readonly topic: string;
  /** Records with the same key share a partition and keep their order. Null if `partition` is set instead. */
  readonly key: string | null;
  readonly partition?: number;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Largest size of a record: key, value and headers. */
export const maxRecordBytes = 4 * 1024 * 1024;

/** Size of key, value and headers in UTF-8. */
export function recordBytes({ key, value, headers }: OutgoingRecord): number {
  let bytes = Buffer.byteLength(value) + Buffer.byteLength(key ?? '');
  for (const [name, text] of Object.entries(headers))
    bytes += Buffer.byteLength(name) + Buffer.byteLength(text);
  return bytes;
}

export interface ReceivedRecord {
  readonly key: string | null;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Increases by one with each record of the partition. Text, because it may exceed the range of a number. */
  readonly offset: string;
}

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** A partition that was assigned to a member. */
export interface AssignedPartition extends TopicPartition {
  /** Offset of the first record that will be delivered; only with `from: 'assignment'`. */
  readonly next?: string;
}

export interface ReceivedBatch extends TopicPartition {
  /** In the order of their offsets, without a gap after the previous batch. */
  readonly records: readonly ReceivedRecord[];
}

export interface ConsumeOptions {
  /** Members of one consumer group share the partitions. */
  readonly group: string;
  readonly topics: readonly string[];
  /**
   * `committed` (default) continues after the group's committed offsets; a new group starts at the oldest records. `assignment`
   * delivers only the last one of the records that were in a partition before `assigned` was called; `assigned` reads the
   * others from another source.
   */
  readonly from?: 'committed' | 'assignment' | undefined;
  /**
   * Called before the first batch of newly assigned partitions, and after the last handler for the former ones has ended.
   * Repeated after a pause if it rejects.
   */
  readonly assigned?: (partitions: readonly AssignedPartition[]) => Promise<void>;
  /** Called when this member has lost partitions; another member may process them already. */
  readonly revoked?: (partitions: readonly TopicPartition[]) => void;
  /**
   * Called with one batch of each partition at a time, for different partitions concurrently. The offsets are committed soon
   * after it resolves, and before the member leaves. If it rejects, the same records are delivered again after a pause. Records
   * that were not committed when their partition was reassigned are delivered again to its new holder.
   */
  readonly handle: (batch: ReceivedBatch) => Promise<void>;
  readonly onError?: (error: unknown) => void;
  /** Makes the member leave the group. */
  readonly signal: AbortSignal;
}

/** Delivers records from the relay to any number of consumer groups, at least once, and in order within a partition. */
export interface Transport {
  /** Creates missing topics. Rejects with `TopicMismatch` if an existing topic has another number of partitions. */
  ensureTopics(topics: readonly TopicDefinition[]): Promise<void>;
  partitions(topic: string): Promise<number>;
  /** The partition of `key` in a topic with `partitions` partitions; the same for every producer. */
  partitionOf(key: string, partitions: number): number;
  /**
   * Resolves when every in-sync replica has all records. Rejects with `TransportUnavailable` if it is unknown which of them
   * were written: then publish all of them again, in the same order. Records are written in the order of the calls. If a call
   * rejects, those waiting behind it do too, so that no record overtakes another. Rejects with `RecordTooLarge`, and writes
   * nothing, if a record exceeds `maxRecordBytes`.
   */
  publish(records: readonly OutgoingRecord[]): Promise<void>;
  /** Joins the group and stays until `signal` aborts, through lost connections and rebalances. Resolves when it has left. */
  consume(options: ConsumeOptions): Promise<void>;
  close(): Promise<void>;
}

/** A retry may succeed. */
export class TransportUnavailable extends Error {
  override readonly name = 'TransportUnavailable';
}

export class RecordTooLarge extends Error {
  override readonly name = 'RecordTooLarge';
}

export class TopicMismatch extends Error {
  override readonly name = 'TopicMismatch';
}
