import { setImmediate } from 'node:timers/promises';
import type { LogFilter, LogPage, RecordedEvent } from '../../ports/event-log.ts';
import { mostAtOnce, sizeOf } from '../../ports/recorded-size.ts';
import type { WakeUp } from '../../ports/wake-up.ts';
import type { Inbox } from './inbox.ts';
import { checkpointOf, isShown, matcherOf, receivedEvent, type Received } from './records.ts';

/** A page as it grows. */
interface Growing {
  readonly events: RecordedEvent[];
  size: number;
}

/** Makes pages of what arrives one by one. */
export class Gatherer {
  readonly #inbox: Inbox;
  readonly #arrival: WakeUp;
  readonly #matches: (received: Received) => boolean;
  /** Position of the last event taken; 0 before the first. */
  lastEvent = 0;

  constructor(inbox: Inbox, arrival: WakeUp, filter: LogFilter | undefined) {
    this.#inbox = inbox;
    this.#arrival = arrival;
    this.#matches = matcherOf(filter);
  }

  /** What has arrived after `position`, up to `batchSize` events; until the time `until` it waits for more. */
  async gather(position: number, batchSize: number, until: number, signal: AbortSignal): Promise<LogPage> {
    const page: Growing = { events: [], size: 0 };
    let scannedTo = position;
    for (let patient = true; !signal.aborted;) {
      const seen = this.#arrival.count;
      let taken: number | undefined;
      try {
        taken = this.#take(scannedTo, batchSize, page);
      } catch (error) {
        // What arrived before the error is handed out first; the error comes again.
        if (scannedTo > position) break;
        throw error;
      }
      scannedTo = taken ?? scannedTo;
      if (isFull(page, batchSize)) break;
      if (taken !== undefined) patient = true;
      const waitMs = until - performance.now();
      if (scannedTo > position && waitMs > 0) await this.#arrival.after(seen, waitMs, signal);
      else if (patient) {
        // The stream below hands on a few answers a turn: more of the same batch may be on its way up.
        patient = false;
        await setImmediate();
      } else break;
    }
    return { events: page.events, scannedTo };
  }

  /** Takes what is there; answers how far it goes, undefined where nothing was there. */
  #take(after: number, batchSize: number, page: Growing): number | undefined {
    let scannedTo: number | undefined;
    while (!isFull(page, batchSize)) {
      const response = this.#inbox.take();
      if (!response) return scannedTo;
      const received = receivedEvent(response);
      const position = received ? received.position : checkpointOf(response);
      scannedTo ??= after;
      if (position === undefined) continue;
      if (received) this.lastEvent = position;
      if (position <= scannedTo) continue;
      if (received) {
        if (!isShown(received)) continue;
        if (this.#matches(received)) {
          const event = received.event();
          page.events.push(event);
          page.size += sizeOf(event);
        }
      }
      scannedTo = position;
    }
    return scannedTo;
  }
}

function isFull({ events, size }: Growing, batchSize: number): boolean {
  return events.length >= batchSize || size >= mostAtOnce;
}
