/** A topic as it must be. Its partition count never changes, since keys keep their partition: growth is a new topic. */
export interface TopicDefinition {
  readonly name: string;
  readonly partitions: number;
  /** How long records are kept; for ever without it. */
  readonly retentionMs?: number;
}

export interface OutgoingRecord {
  readonly topic: string;
  /** Records of one key share a partition and keep their order. Null where `partition` says where the record goes. */
  readonly key: string | null;
  readonly partition?: number;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A record may have 4 MiB of key, value and headers. */
export const maxRecordBytes = 4 * 1024 * 1024;

/** Bytes of key, value and headers in UTF-8. */
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
  /** Grows by one a record within its partition; as text, since it may be larger than a number holds. */
  readonly offset: string;
}

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** A partition that a member was given. */
export interface AssignedPartition extends TopicPartition {
  /** The offset of the first record that comes; known where records are taken `from` the assignment. */
  readonly next?: string;
}

export interface ReceivedBatch extends TopicPartition {
  /** In the order of their offsets, without gap to the batch before. */
  readonly records: readonly ReceivedRecord[];
}

export interface ConsumeOptions {
  /** Members of one consumer group share the partitions. */
  readonly group: string;
  readonly topics: readonly string[];
  /**
   * `committed`, the default: behind what the group has taken; a new group begins at the oldest records. `assignment`: of
   * what was in a partition before `assigned` was called only the last record comes: `assigned` reads the rest elsewhere.
   */
  readonly from?: 'committed' | 'assignment' | undefined;
  /**
   * Before the first batch of partitions that this member was given, and after the last handle of those it had before;
   * again, after a pause, where it rejects.
   */
  readonly assigned?: (partitions: readonly AssignedPartition[]) => Promise<void>;
  /** This member has lost them: another may be working on them already. */
  readonly revoked?: (partitions: readonly TopicPartition[]) => void;
  /**
   * One batch a partition at a time, partitions side by side. Its offsets are committed soon after it resolves, and
   * before the member leaves; where it rejects, the same records come again after a pause. What was not committed when
   * the partitions went to another member comes again there.
   */
  readonly handle: (batch: ReceivedBatch) => Promise<void>;
  readonly onError?: (error: unknown) => void;
  /** Leaves the group. */
  readonly signal: AbortSignal;
}

/** Carries records from the relay to any number of consumer groups, at least once, in order within a partition. */
export interface Transport {
  /** Creates what is missing. Rejects with `TopicMismatch` where a topic has another number of partitions. */
  ensureTopics(topics: readonly TopicDefinition[]): Promise<void>;
  partitions(topic: string): Promise<number>;
  /** The partition of `key` in a topic of `partitions`: the same for every producer. */
  partitionOf(key: string, partitions: number): number;
  /**
   * Resolves when every replica has all records. Rejects with `TransportUnavailable` where it is unknown which of them
   * were written: publish all of them again, in the same order. Records are written in the order of the calls, and where
   * one call rejects, those that wait behind it do too: none overtakes it. Rejects with `RecordTooLarge`, and writes
   * nothing, where a record has more than `maxRecordBytes`.
   */
  publish(records: readonly OutgoingRecord[]): Promise<void>;
  /** Takes part in the group until `signal` aborts, through lost connections and rebalances; resolves when it has left. */
  consume(options: ConsumeOptions): Promise<void>;
  close(): Promise<void>;
}

/** Another try may succeed. */
export class TransportUnavailable extends Error {
  override readonly name = 'TransportUnavailable';
}

export class RecordTooLarge extends Error {
  override readonly name = 'RecordTooLarge';
}

export class TopicMismatch extends Error {
  override readonly name = 'TopicMismatch';
}
