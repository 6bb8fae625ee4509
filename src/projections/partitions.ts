import type { Projection } from './projection.ts';

/** How the log is partitioned. A partition contains whole streams and has its own bookmark in every generation. */
export interface Partitioning {
  /** The partitions with events that `projection` handles. */
  partitionsOf(projection: Projection): readonly string[];
  /** The partition of `stream`. */
  partitionOf(stream: string): string;
}

/** The log as one partition. */
export const undivided: Partitioning = {
  partitionsOf: () => ['log'],
  partitionOf: () => 'log',
};

/** The bookmark of each partition: the position of its last event or watermark. */
export type Bookmarks = ReadonlyMap<string, number>;

/** The lowest bookmark: all partitions are complete up to it. */
export function leastOf(bookmarks: Bookmarks): number {
  // An abandoned generation has no bookmarks.
  return bookmarks.size === 0 ? 0 : Math.min(...bookmarks.values());
}

/** Whether `bookmarks` are at least as far as `other`. If the partitions differ, the lowest bookmark decides. */
export function reaches(bookmarks: Bookmarks, other: Bookmarks): boolean {
  const least = leastOf(bookmarks);
  return [...other].every(([partition, position]) => (bookmarks.get(partition) ?? least) >= position);
}

export function samePartitions(bookmarks: Bookmarks, partitions: readonly string[]): boolean {
  return bookmarks.size === partitions.length && partitions.every((name) => bookmarks.has(name));
}
