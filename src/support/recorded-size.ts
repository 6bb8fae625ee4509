/** Approximate size of an event's names, times and numbers, in characters. */
export const eventOverhead = 300;

/**
 * A page of events, or a group of events written to a read model together, ends with the event that reaches this size.
 * 2,000 events of the usual size stay below it; 30 of the largest memories exceed it. A process needs several times this
 * much for a page with opened events, and PostgreSQL several times as much for a parameter; the embedded PostgreSQL has
 * 4 GB at most for everything.
 */
export const maxPageSize = 8 * 1024 * 1024;

/** Memory that a recorded event takes, in characters. */
export function recordedSize({
  data,
  metadata,
}: {
  readonly data: string;
  readonly metadata: string;
}): number {
  return eventOverhead + data.length + metadata.length;
}

export function totalSize(events: readonly { readonly size: number }[]): number {
  return events.reduce((sum, { size }) => sum + size, 0);
}
