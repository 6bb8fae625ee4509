import { LogUnavailable, type EventLog, type LogPage } from '../ports/event-log.ts';
import type { LoadedPage } from '../ports/event-store.ts';
import type { Generation } from './generation.ts';
import type { OpenedCache } from './opened-cache.ts';

const pageSize = 500;
/** Many partitions and generations go through the same part of the log at the same time. */
const keptPages = 16;

/** What the topics do not hold, read from the log itself. */
export class LogGaps {
  readonly #log: EventLog;
  readonly #opened: OpenedCache;
  /** By where they begin, the oldest first. */
  readonly #kept = new Map<number, Promise<LogPage>>();
  /** Where those end that are read already. */
  readonly #ends = new Map<number, number>();

  constructor(log: EventLog, opened: OpenedCache) {
    this.#log = log;
    this.#opened = opened;
  }

  /**
   * What a generation has to know of one partition beyond `after`, up to and including `to`. Rejects with
   * `LogUnavailable` where the log is not as far.
   */
  async *read(
    generation: Generation,
    partition: string,
    after: number,
    to: number,
  ): AsyncGenerator<LoadedPage> {
    for (let at = after; at < to;) {
      const from = at;
      // Positions grow by one at least: a small gap is a small read.
      const page = await this.#page(from, Math.min(pageSize, to - from));
      if (page.scannedTo <= from)
        throw new LogUnavailable(`the log ends at ${from}, a topic is at ${to} already`);
      at = Math.min(page.scannedTo, to);
      const due = page.events.filter(
        ({ stream, type, position }) =>
          position > from && position <= to && generation.takes(partition, stream, type),
      );
      if (due.length > 0) yield { ...(await this.#opened.open(due)), scannedTo: at };
    }
  }

  /** One that holds what comes behind `after`; it may begin before. */
  #page(after: number, limit: number): Promise<LogPage> {
    const kept = this.#kept.get(this.#begin(after));
    if (kept) return kept;
    const page = this.#log.readAll({ after, limit });
    this.#kept.set(after, page);
    const forget = (): void => this.#forget(after);
    page.then(
      ({ scannedTo }) => (scannedTo > after ? void this.#ends.set(after, scannedTo) : forget()),
      forget,
    );
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= keptPages) break;
      this.#forget(oldest);
    }
    return page;
  }

  /** Where the page begins that holds what comes behind `after`: those that begin apart soon go on together. */
  #begin(after: number): number {
    if (this.#kept.has(after)) return after;
    for (const [begin, end] of this.#ends) if (begin < after && after < end) return begin;
    return after;
  }

  #forget(begin: number): void {
    this.#kept.delete(begin);
    this.#ends.delete(begin);
  }
}
