import { randomUUID } from 'node:crypto';
import type { EventLog, StreamName } from '../../src/ports/event-log.ts';
import { storedEvents } from './log-events.ts';

const categories = [
  'memory',
  'links',
  'claim',
  'feedback',
  'summary',
  'trace',
  'strategy',
  'tenant',
  'retrieval',
  'outcome',
  'session',
  'projection',
  'unheard',
];

/** Appends several events at a time to streams of every category. Streams are reused. */
export async function appendAll(log: EventLog, appends: number, eventsEach = 5): Promise<void> {
  const streams = Array.from(
    { length: Math.min(appends, 48) },
    (_, n): StreamName => `${categories[n % categories.length]!}-acme.${randomUUID()}`,
  );
  const lanes = streams.map(async (stream, lane) => {
    for (let n = lane; n < appends; n += streams.length)
      await log.append(stream, 'any', storedEvents(eventsEach, { metadata: `{"tenant":"acme", "n":${n}}` }));
  });
  await Promise.all(lanes);
}

/** Appends until `end` is called, which rejects if an append has failed. */
export function appendOnAndOn(log: EventLog): { end(): Promise<void> } {
  const stop = new AbortController();
  const load = (async () => {
    while (!stop.signal.aborted) {
      await appendAll(log, 48, 2);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  // A failed test does not end its load. The load then fails because its log is closed, which must not fail other tests.
  load.catch(() => {});
  return {
    async end() {
      stop.abort();
      await load;
    },
  };
}
