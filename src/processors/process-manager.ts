import type { EventType } from '../domain/events/registry.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { SqlExecutor } from '../ports/sql.ts';

/** What a process manager writes to the database. It is written in the transaction that moves the checkpoint. */
export type Effects = (tx: SqlExecutor) => Promise<unknown>;

export interface ManagerContext {
  /** Aborts when the process stops or has lost the lease. */
  readonly signal: AbortSignal;
}

/**
 * What the program does by itself when certain events happen. A process manager only implements this interface; `ManagedProcessor`
 * gives it a checkpoint and parks the streams of events that it cannot handle.
 */
export interface ProcessManager {
  /** Names its checkpoint: never changes. */
  readonly name: string;
  readonly handles: readonly EventType[];
  /** It needs no sealed fields: its events are not decrypted. */
  readonly routingOnly?: boolean;
  /** How long events may wait, so that those of a busy log come together. 10 ms by default. */
  readonly lingerMs?: number;
  /**
   * Handles events in the order of the log. What it does outside of the returned effects must be safe to repeat: a crash
   * before the checkpoint moves hands the same events to it again. An error that is not transient parks the stream of the
   * event that caused it.
   */
  handle(events: readonly LoadedEvent[], context: ManagerContext): Promise<Effects | void>;
}
