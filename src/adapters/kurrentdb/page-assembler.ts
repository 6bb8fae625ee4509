import { setImmediate } from 'node:timers/promises';
import type { LogFilter, LogPage, RecordedEvent } from '../../ports/event-log.ts';
import { maxPageSize, recordedSize } from '../../support/recorded-size.ts';
import type { WakeUp } from '../../support/wake-up.ts';
import type { ResponseReader } from './response-reader.ts';
import { checkpointOf, isShown, matcherOf, receivedEvent, type Received } from './records.ts';

interface PageDraft {
  readonly events: RecordedEvent[];
  size: number;
  /** Consistent with `events` at any time, also when the next response is an error. */
  scannedTo: number;
}

/** Assembles pages from the responses of a subscription, which arrive one by one. */
export class PageAssembler {
  readonly #responses: ResponseReader;
  readonly #arrival: WakeUp;
  readonly #matches: (received: Received) => boolean;
  /** Position of the last event taken; 0 before the first. */
  lastEvent = 0;

  constructor(responses: ResponseReader, arrival: WakeUp, filter: LogFilter | undefined) {
    this.#responses = responses;
    this.#arrival = arrival;
    this.#matches = matcherOf(filter);
  }

  /** The events that have arrived after `position`, `batchSize` at most. Waits for more until the time `until`. */
  async nextPage(position: number, batchSize: number, until: number, signal: AbortSignal): Promise<LogPage> {
    const page: PageDraft = { events: [], size: 0, scannedTo: position };
    for (let patient = true; !signal.aborted;) {
      const seen = this.#arrival.count;
      try {
        if (this.#take(batchSize, page)) patient = true;
      } catch (error) {
        // Events that arrived before the error are delivered first; the next call throws the error again.
        if (page.scannedTo > position) break;
        throw error;
      }
      if (isFull(page, batchSize)) break;
      const waitMs = until - performance.now();
      if (page.scannedTo > position && waitMs > 0) await this.#arrival.after(seen, waitMs, signal);
      else if (patient) {
        // gRPC delivers a few responses in each turn of the event loop: more of the same batch may follow.
        patient = false;
        await setImmediate();
      } else break;
    }
    return { events: page.events, scannedTo: page.scannedTo };
  }

  /** Adds the responses that are there to `page`; returns whether there were any. */
  #take(batchSize: number, page: PageDraft): boolean {
    let found = false;
    while (!isFull(page, batchSize)) {
      const response = this.#responses.next();
      if (!response) break;
      found = true;
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
    return found;
  }
}

function isFull({ events, size }: PageDraft, batchSize: number): boolean {
  return events.length >= batchSize || size >= maxPageSize;
}
