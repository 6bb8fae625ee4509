import type { EventType } from '../domain/events/registry.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { MemoryRef } from '../ports/surface.ts';
import type { PastQueries } from '../queries/past.ts';
import type { PastCopy } from './past-copy.ts';

export interface AskedCopy {
  readonly tenant: string;
  /** The last position that it will be filled to. */
  readonly position: number;
  /** Memories that were erased after this position are not in it; default: `position`. */
  readonly erasedAfter?: number;
  /** Called with each event of the tenant in the order of the log: only those are applied for which it returns true. */
  readonly isTaken?: (event: LoadedEvent) => boolean;
  /** Further types of events that `isTaken` is called with. */
  readonly seen?: readonly EventType[];
}

/** A copy, not filled yet, and the query side over it. */
export interface OpenedCopy {
  readonly copy: PastCopy;
  /** The queries at the position that the copy stands at. */
  queries(): Promise<PastQueries>;
  close(): Promise<void>;
}

/** Opens a private database for the events of a tenant. */
export type OpenCopy = (asked: AskedCopy) => Promise<OpenedCopy>;

/** Counts in a copy that may be closed meanwhile: then it holds nothing. */
export async function countUntilClosed(
  { copy }: OpenedCopy,
  memories: readonly MemoryRef[],
  isClosed: () => boolean,
): Promise<number> {
  try {
    return await copy.count(memories);
  } catch (error) {
    if (isClosed()) return 0;
    throw error;
  }
}
