import type { EventType } from '../domain/events/registry.ts';

/** How the log is partitioned. A partition contains whole streams, and a follower has a checkpoint in each. */
export interface Partitioning {
  /** The partitions with events that a follower handles. */
  partitionsOf(follower: { readonly handles: readonly EventType[] }): readonly string[];
  /** The partition of `stream`. */
  partitionOf(stream: string): string;
}

/** The log as one partition of this name. */
export function onePartition(name: string): Partitioning {
  return { partitionsOf: () => [name], partitionOf: () => name };
}

/** The log as one partition, as generations of read models read it. */
export const undivided: Partitioning = onePartition('log');

/** The checkpoint of each partition: the position of its last event or watermark. */
export type Positions = ReadonlyMap<string, number>;

/** The lowest checkpoint: all partitions are complete up to it. */
export function leastOf(checkpoints: Positions): number {
  // An abandoned generation has no checkpoints.
  return checkpoints.size === 0 ? 0 : Math.min(...checkpoints.values());
}

/** Whether `checkpoints` are at least as far as `other`. If the partitions differ, the lowest checkpoint decides. */
export function reaches(checkpoints: Positions, other: Positions): boolean {
  const least = leastOf(checkpoints);
  return [...other].every(([partition, position]) => (checkpoints.get(partition) ?? least) >= position);
}

export function samePartitions(checkpoints: Positions, partitions: readonly string[]): boolean {
  return checkpoints.size === partitions.length && partitions.every((name) => checkpoints.has(name));
}
