import type { Projection } from './projection.ts';

/** How the log is divided. A partition holds whole streams and has a bookmark of its own in every generation. */
export interface Partitioning {
  /** The partitions that hold events which `projection` handles. */
  partitionsOf(projection: Projection): readonly string[];
  /** The one that holds the events of `stream`. */
  partitionOf(stream: string): string;
}

/** The log as one partition. */
export const undivided: Partitioning = {
  partitionsOf: () => ['log'],
  partitionOf: () => 'log',
};

/** How far each partition has come: the position of its last event or watermark. */
export type Bookmarks = ReadonlyMap<string, number>;

/** Positions up to here are there, whatever the partition. */
export function leastOf(bookmarks: Bookmarks): number {
  // Of one that was given up nothing is kept.
  return bookmarks.size === 0 ? 0 : Math.min(...bookmarks.values());
}

/** Whether `bookmarks` are at least as far as `other`. Where the log was divided otherwise, only all of it counts. */
export function reaches(bookmarks: Bookmarks, other: Bookmarks): boolean {
  const least = leastOf(bookmarks);
  return [...other].every(([partition, position]) => (bookmarks.get(partition) ?? least) >= position);
}

export function samePartitions(bookmarks: Bookmarks, partitions: readonly string[]): boolean {
  return bookmarks.size === partitions.length && partitions.every((name) => bookmarks.has(name));
}
