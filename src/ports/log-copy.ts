import type { RecordedEvent } from './event-log.ts';

/** The end of a log: how many events it has, and what they hash to. */
export interface LogEnd {
  readonly logId: string;
  /** Name of the log in its signed heads. */
  readonly origin: string;
  readonly size: number;
  /** Position of the last event. */
  readonly position: number;
  /** Root of the tree over all events. */
  readonly root: Buffer;
}

/**
 * What belongs to a log and does not follow from it: the keys of the vault as they are stored there, which only the root key opens, and
 * the terms of leases, which must not count from the beginning again. Bytes are in base64.
 */
export type ControlRecord =
  | { readonly kind: 'vault'; readonly proof: string }
  | {
      readonly kind: 'subject-key';
      readonly tenant: string;
      readonly subject: string;
      /** Absent if the key was destroyed. */
      readonly wrapped?: string;
      readonly destroyedAt?: string;
    }
  | {
      readonly kind: 'data-key';
      readonly tenant: string;
      readonly id: string;
      readonly subject?: string;
      /** Absent if the key was destroyed. */
      readonly wrapped?: string;
      readonly destroyedAt?: string;
    }
  | { readonly kind: 'lease'; readonly name: string; readonly epoch: number };

/** Where a copy of a log comes from: its database, the process that has it open, or a backup. */
export interface CopySource {
  end(): Promise<LogEnd>;
  /** Root of the tree over the first `size` events, of which the log has at least so many. */
  rootAt(size: number): Promise<Buffer>;
  /** Position of the last event at or before a time. */
  positionAt(time: Date): Promise<number>;
  /** The events after one position and up to another, in order, in pages. */
  events(after: number, upTo: number): AsyncIterable<readonly RecordedEvent[]>;
  /** Read after `end`, it has the keys of all events up to there, and all tombstones. */
  control(): AsyncIterable<readonly ControlRecord[]>;
}
