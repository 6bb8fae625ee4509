import type { RecordedEvent } from '../ports/event-log.ts';

/** Its names, times and numbers, about. */
const frame = 300;

/** What an event takes as long as it is kept at hand, in characters. */
export function sizeOf({ data, metadata }: RecordedEvent): number {
  return frame + data.length + metadata.length;
}
