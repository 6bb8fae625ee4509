import { restoreStream } from '../domain/streams.ts';
import type { Restore } from '../domain/tlog/events.ts';
import type { EventLog } from '../ports/event-log.ts';

/** From which logs this one was restored, in order; usually none. */
export async function restoresOf(log: Pick<EventLog, 'readStream'>): Promise<readonly Restore[]> {
  const recorded = await log.readStream(restoreStream);
  return recorded.map(({ data }) => restoreIn(data));
}

/** What the stored data of an event about a restore say. They are not encrypted. */
export function restoreIn(data: string): Restore {
  return (JSON.parse(data) as { readonly routing: Restore }).routing;
}
