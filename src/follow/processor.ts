/**
 * Something that follows the log: a generation of a read model, a reactor, or the relay. It keeps a checkpoint,
 * the position of the last event that it has handled, and continues from there whenever it starts. `ProcessorRunner`
 * decides which process runs it, retries it and reports its status.
 */
export interface EventProcessor {
  /** Unique among all processors of the program: names its lease, and the processor in metrics. */
  readonly name: string;
  /**
   * `lease`: one process at a time runs it. `group`: every process runs it, and the processor itself divides the work
   * between them.
   */
  readonly sharing: 'lease' | 'group';
  /**
   * Reads the checkpoint and handles all events after it, until `term.signal` aborts. Rejects if it cannot continue;
   * it is then run again after a pause, from its checkpoint.
   */
  run(term: Term): Promise<void>;
}

/** The time between two starts of a processor in one process: while the process holds the lease and nothing fails. */
export interface Term {
  /** Increases with each term in any process, so that writes guarded by it fail in an outdated process. 0 for a `group`. */
  readonly epoch: number;
  /** Aborts when the processor stops, the lease is lost, or `fail` is called. */
  readonly signal: AbortSignal;
  /** Reports that the processor has read its checkpoint and begins to handle what follows. */
  began(checkpoint?: number): void;
  /** Reports that the checkpoint has moved: everything up to this position is handled. A `group` has no single position. */
  reached(position?: number): void;
  /** False if the lease has expired without being renewed, as in a process that was frozen. */
  readonly isHeld: boolean;
  /** Reports an error that does not end the term. */
  report(error: unknown): void;
  /** Ends the term because of an error outside of the call chain of `run`. */
  fail(error: unknown): void;
}

/** Another process runs the processor now, or may do so. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** Another process has moved the checkpoint since it was read: this one must read it again. */
export class CheckpointMoved extends Error {
  override readonly name = 'CheckpointMoved';
}

export interface ProcessorStatus {
  readonly name: string;
  /** `active`: handles events; `standby`: another process does; `failing`: waits before it tries again. */
  readonly state: 'active' | 'standby' | 'failing';
  /** The checkpoint; absent if this process has not seen it. */
  readonly position?: number;
  /** Why it is failing. */
  readonly error?: string;
}
