import type { LogFilter, LogPage, RecordedEvent } from '../../ports/event-log.ts';
import { maxPageSize, recordedSize } from '../../support/recorded-size.ts';
import type { Connection } from './connection.ts';
import { ServerRefusal } from './errors.ts';
import { isShown, matcherOf, receivedEvent, type Received } from './records.ts';
import { allReadRequest, type ReadFrom } from './requests.ts';

const pageSize = 500;
/** Minimum number of records requested from the server: system events may lie between the events of the log. */
const smallestPage = 32;

/** Reads the whole log. The server filters only subscriptions, so the filter is applied here. */
export class AllReader {
  readonly #connection: Connection;
  /** The head found when the server's last record was `last`. */
  #known = { last: 0, head: 0 };
  /** Number of events that fill a page, if they are as large as those last read. Requesting more would waste what the server sends. */
  #fitting = pageSize;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Up to `limit` matching events after a position. If no event has that position, reads from `otherwise`, the position of an
   * earlier event: the server only accepts positions of records.
   */
  async forwards(after: number, limit: number, filter?: LogFilter, otherwise = 0): Promise<LogPage> {
    const matches = matcherOf(filter);
    const events: RecordedEvent[] = [];
    let scannedTo = after;
    let size = 0;
    const expected = Math.min(filter ? pageSize : limit, this.#fitting);
    for await (const received of this.#readForwards(after, otherwise, expected)) {
      if (received.position <= scannedTo || !isShown(received)) continue;
      scannedTo = received.position;
      if (!matches(received)) continue;
      const event = received.event();
      events.push(event);
      size += recordedSize(event);
      if (events.length >= limit || size >= maxPageSize) break;
    }
    if (size > 0) this.#fitting = Math.ceil((events.length * maxPageSize) / size);
    return { events, scannedTo };
  }

  /** Up to `limit` matching events before a position, or from the end, newest first. */
  async backwards(before: number | undefined, limit: number, filter?: LogFilter): Promise<LogPage> {
    const matches = matcherOf(filter);
    const events: RecordedEvent[] = [];
    let size = 0;
    const from = before === undefined || before > (await this.head()) ? 'end' : before;
    for await (const received of this.#readBackwards(from, filter ? pageSize : limit)) {
      if ((before !== undefined && received.position >= before) || !isShown(received) || !matches(received))
        continue;
      const event = received.event();
      events.push(event);
      size += recordedSize(event);
      if (events.length >= limit || size >= maxPageSize) return { events, scannedTo: received.position };
    }
    return { events, scannedTo: 0 };
  }

  /** Position of the last event, 0 if there is none. */
  async head(): Promise<number> {
    const last = await this.lastRecord();
    const { last: knownLast, head: knownHead } = this.#known;
    let head = knownHead;
    if (last > knownLast) {
      for await (const received of this.#readBackwards('end', smallestPage)) {
        if (received.position <= knownLast) break;
        head = isShown(received) ? received.position : head;
        if (isShown(received)) break;
      }
      if (last > this.#known.last) this.#known = { last, head };
    }
    return head;
  }

  /** Position of the server's last record, including system events; 0 if there is none. */
  async lastRecord(): Promise<number> {
    const [last] = await this.#page('end', true, 1);
    return last?.position ?? 0;
  }

  async *#readForwards(after: number, otherwise: number, expected: number): AsyncGenerator<Received> {
    let from: ReadFrom = after === 0 ? 'start' : after;
    for (;;) {
      // The response includes the event at `from`.
      const count = Math.min(pageSize, Math.max(smallestPage, expected + 1));
      let page: Received[];
      try {
        page = await this.#page(from, false, count);
      } catch (error) {
        const earlier: ReadFrom = otherwise === 0 ? 'start' : otherwise;
        if (!(error instanceof ServerRefusal) || from !== after || earlier === from) throw error;
        from = earlier;
        continue;
      }
      yield* page;
      if (page.length < count) return;
      from = page.at(-1)!.position;
    }
  }

  async *#readBackwards(before: ReadFrom, expected: number): AsyncGenerator<Received> {
    let from = before;
    for (;;) {
      const count = Math.min(pageSize, Math.max(smallestPage, expected));
      let page: Received[];
      try {
        page = await this.#page(from, true, count);
      } catch (error) {
        if (!(error instanceof ServerRefusal) || from !== before || from === 'end') throw error;
        from = 'end';
        continue;
      }
      yield* page;
      if (page.length < count) return;
      from = page.at(-1)!.position;
    }
  }

  async #page(from: ReadFrom, backwards: boolean, count: number): Promise<Received[]> {
    const responses = await this.#connection.read(allReadRequest({ from, backwards, count }));
    return responses.map(receivedEvent).filter((received) => received !== undefined);
  }
}
