import { LRUCache } from 'lru-cache';
import { LogUnavailable, type EventLog, type LogPage } from '../ports/event-log.ts';
import type { LoadedPage } from '../ports/event-store.ts';
import { recordedSize } from '../support/recorded-size.ts';
import type { Generation } from './generation.ts';
import type { OpenedCache } from './opened-cache.ts';

const pageSize = 500;
/** Characters in cached pages: many partitions and generations read the same part of the log at about the same time. */
const maxCachedSize = 32 * 1024 * 1024;
/** Small gaps make small pages, and a lookup goes through all of them. */
const maxCachedPages = 500;

/** Reads from the log what the topics do not hold. */
export class LogGaps {
  readonly #log: EventLog;
  readonly #opened: OpenedCache;
  /** Cached pages, by the position that they follow. */
  readonly #cache = new LRUCache<number, LogPage>({
    max: maxCachedPages,
    maxSize: maxCachedSize,
    sizeCalculation: ({ events }) => events.reduce((sum, event) => sum + recordedSize(event), 1),
  });
  readonly #reading = new Map<number, Promise<LogPage>>();

  constructor(log: EventLog, opened: OpenedCache) {
    this.#log = log;
    this.#opened = opened;
  }

  /**
   * The events of one partition that a generation handles, after `after` up to and including `to`. Rejects with `LogUnavailable` if the
   * log has not reached `to`.
   */
  async *read(
    generation: Generation,
    partition: string,
    after: number,
    to: number,
  ): AsyncGenerator<LoadedPage> {
    for (let at = after; at < to;) {
      const from = at;
      // Positions grow by at least one, so a small gap needs a small page.
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

  /** A page that covers the events after `after`; it may begin earlier. */
  async #page(after: number, limit: number): Promise<LogPage> {
    const cached = this.#covering(after);
    if (cached) return cached;
    const shared = this.#reading.get(after);
    if (shared) return shared;
    const reading = this.#read(after, limit).finally(() => this.#reading.delete(after));
    this.#reading.set(after, reading);
    return reading;
  }

  async #read(after: number, limit: number): Promise<LogPage> {
    const page = await this.#log.readAll({ after, limit });
    if (page.scannedTo > after) this.#cache.set(after, page);
    return page;
  }

  /** Readers that began at different positions soon share the same pages. */
  #covering(after: number): LogPage | undefined {
    const own = this.#cache.get(after);
    if (own) return own;
    for (const [begin, page] of this.#cache.entries())
      if (begin < after && after < page.scannedTo) return page;
    return undefined;
  }
}
