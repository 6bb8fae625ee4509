import type { RecordedEvent } from './event-log.ts';

/** The names, times and numbers of an event, about. */
export const frame = 300;

/**
 * What is read, or written to a read model, together ends with the event that reaches this size: 2,000 events of the
 * usual size are less, and 30 of the largest memories more. A program needs several times of it for an opened page, and
 * PostgreSQL for a parameter, of which the embedded one has 4 GB for everything at most.
 */
export const mostAtOnce = 8 * 1024 * 1024;

/** What an event takes as long as it is kept at hand, in characters as recorded. */
export function sizeOf({ data, metadata }: Pick<RecordedEvent, 'data' | 'metadata'>): number {
  return frame + data.length + metadata.length;
}

export function totalOf(events: readonly { readonly size: number }[]): number {
  return events.reduce((sum, { size }) => sum + size, 0);
}
