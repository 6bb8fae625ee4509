import type { MemoryEvent } from './events.ts';
import { evolve, initialState, type MemoryState } from './memory.ts';

/** What a fold needs of a recorded memory event. */
export interface RecordedMemoryEvent {
  readonly event: MemoryEvent;
  readonly revision: number;
  readonly position: number;
  readonly time: Date;
  /** The key is destroyed: the event has only its routing fields. */
  readonly erased: boolean;
}

/** A memory with its state and what the log adds to it. */
export interface MemorySnapshot<State extends MemoryState = MemoryState> {
  readonly state: State;
  /** Of the last event; -1 where there is none. */
  readonly revision: number;
  readonly position: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type LiveSnapshot = MemorySnapshot<Extract<MemoryState, { value: unknown }>>;

/** Folds a memory's events, first to last. One event whose key is gone makes the whole memory erased. */
export function foldMemory(facts: readonly RecordedMemoryEvent[]): MemorySnapshot {
  const erased = facts.some((fact) => fact.erased);
  const last = facts.at(-1);
  return {
    state: erased
      ? { status: 'erased' }
      : facts.reduce((state, { event }) => evolve(state, event), initialState),
    revision: last?.revision ?? -1,
    position: last?.position ?? 0,
    createdAt: facts[0]?.time ?? new Date(0),
    updatedAt: last?.time ?? new Date(0),
  };
}

/** Active or soft-deleted: there is something to show. */
export function isLive(snapshot: MemorySnapshot): snapshot is LiveSnapshot {
  return snapshot.state.status === 'active' || snapshot.state.status === 'deleted';
}
