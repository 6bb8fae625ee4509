import type { MemoryEvent } from './events.ts';
import { evolve, hasValue, initialState, type MemoryState } from './memory.ts';

/** A recorded memory event with the envelope fields that `foldMemory` needs. */
export interface RecordedMemoryEvent {
  readonly event: MemoryEvent;
  readonly revision: number;
  readonly position: number;
  readonly time: Date;
  /** Whether the data key was destroyed, so that only the routing fields of the event are readable. */
  readonly erased: boolean;
}

/** State of a memory with revision, position and times from the log. */
export interface MemorySnapshot<State extends MemoryState = MemoryState> {
  readonly state: State;
  /** Revision of the last event, or -1 without events. */
  readonly revision: number;
  readonly position: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type LiveSnapshot = MemorySnapshot<Extract<MemoryState, { value: unknown }>>;

/** Folds a memory's events in order. If the key of any event was destroyed, the memory counts as erased. */
export function foldMemory(events: readonly RecordedMemoryEvent[]): MemorySnapshot {
  const erased = events.some((recorded) => recorded.erased);
  const last = events.at(-1);
  return {
    state: erased
      ? { status: 'erased' }
      : events.reduce((state, { event }) => evolve(state, event), initialState),
    revision: last?.revision ?? -1,
    position: last?.position ?? 0,
    createdAt: events[0]?.time ?? new Date(0),
    updatedAt: last?.time ?? new Date(0),
  };
}

/** Whether the memory is active, archived or soft-deleted, so that it has a value. */
export function isLive(snapshot: MemorySnapshot): snapshot is LiveSnapshot {
  return hasValue(snapshot.state);
}
