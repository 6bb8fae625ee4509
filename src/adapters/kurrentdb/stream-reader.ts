import type { RecordedEvent } from '../../ports/event-log.ts';
import type { Connection } from './connection.ts';
import { receivedEvent } from './records.ts';
import { streamReadRequest } from './requests.ts';

/** Events of one call. A long stream is read in several calls, each with its own deadline. */
const pageSize = 500;

export interface StreamRange {
  /** Inclusive revision; undefined starts at the respective end. */
  readonly from: number | undefined;
  readonly backwards: boolean;
  readonly limit: number;
}

/** The events of a stream; none if the stream does not exist. */
export async function readStream(
  connection: Connection,
  stream: string,
  { from, backwards, limit }: StreamRange,
): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  let next: number | 'end' = backwards ? (from ?? 'end') : Math.max(0, from ?? 0);
  while (events.length < limit && next !== -1) {
    const count = Math.min(pageSize, limit - events.length);
    const responses = await connection.read(streamReadRequest({ stream, from: next, backwards, count }));
    // Other responses report that the stream does not exist, or the revision of its last event.
    const page = responses.map(receivedEvent).filter((received) => received !== undefined);
    for (const received of page) events.push(received.event());
    if (page.length < count) break;
    next = events.at(-1)!.revision + (backwards ? -1 : 1);
  }
  return events;
}
