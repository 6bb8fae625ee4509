import { setImmediate } from 'node:timers/promises';
import type { LogFilter, LogPage, RecordedEvent } from '../../ports/event-log.ts';
import { maxPageSize, recordedSize } from '../../support/recorded-size.ts';
import type { WakeUp } from '../../support/wake-up.ts';
import type { Inbox } from './inbox.ts';
import { checkpointOf, isShown, matcherOf, receivedEvent, type Received } from './records.ts';

/** A page as it grows. */
interface Growing {
  readonly events: RecordedEvent[];
  size: number;
  /** Goes with the events: also where the next answer is an error. */
  scannedTo: number;
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
    const page: Growing = { events: [], size: 0, scannedTo: position };
    for (let patient = true; !signal.aborted;) {
      const seen = this.#arrival.count;
      try {
        if (this.#take(batchSize, page)) patient = true;
      } catch (error) {
        // What arrived before the error is handed out first; the error comes again.
        if (page.scannedTo > position) break;
        throw error;
      }
      if (isFull(page, batchSize)) break;
      const waitMs = until - performance.now();
      if (page.scannedTo > position && waitMs > 0) await this.#arrival.after(seen, waitMs, signal);
      else if (patient) {
        // The stream below hands on a few answers a turn: more of the same batch may be on its way up.
        patient = false;
        await setImmediate();
      } else break;
    }
    return { events: page.events, scannedTo: page.scannedTo };
  }

  /** Takes what is there; answers whether anything was. */
  #take(batchSize: number, page: Growing): boolean {
    let wasThere = false;
    while (!isFull(page, batchSize)) {
      const response = this.#inbox.take();
      if (!response) break;
      wasThere = true;
      const received = receivedEvent(response);
      const position = received ? received.position : checkpointOf(response);
      if (position === undefined) continue;
      if (received) this.lastEvent = position;
      if (position <= page.scannedTo) continue;
      if (received) {
        if (!isShown(received)) continue;
        if (this.#matches(received)) {
          const event = received.event();
          page.events.push(event);
          page.size += recordedSize(event);
        }
      }
      page.scannedTo = position;
    }
    return wasThere;
  }
}

function isFull({ events, size }: Growing, batchSize: number): boolean {
  return events.length >= batchSize || size >= maxPageSize;
}
