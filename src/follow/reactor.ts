import type { EventType } from '../domain/events/registry.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { Write } from './handler.ts';

export interface ReactorContext {
  /** Aborts when the process stops or has lost the lease. */
  readonly signal: AbortSignal;
}

/**
 * What the program does by itself when certain events happen, such as calling commands. It never runs in a rebuild. A reactor only
 * implements this interface; `ReactorProcessor` gives it a checkpoint and parks the streams of events that it cannot handle.
 */
export interface Reactor {
  /** Names its checkpoint: never changes. No read model has the same name. */
  readonly name: string;
  readonly handles: readonly EventType[];
  /** It needs no sealed fields: its events are not decrypted. */
  readonly routingOnly?: boolean;
  /** How long events may wait, so that those of a busy log come together. 10 ms by default. */
  readonly lingerMs?: number;
  /**
   * Handles events in the order of the log. Returns what is written in the transaction that moves the checkpoint. Everything else that it
   * does must be safe to repeat: a crash before the checkpoint moves hands the same events to it again. An error that is not transient
   * parks the stream of the event that caused it.
   */
  handle(events: readonly LoadedEvent[], context: ReactorContext): Promise<Write | void>;
}
