import { LRUCache } from 'lru-cache';
import { LogUnavailable, type EventLog, type LogPage } from '../ports/event-log.ts';
import type { LoadedPage } from '../ports/event-store.ts';
import { recordedSize } from '../support/recorded-size.ts';
import type { Generation } from './generation.ts';
import type { OpenedCache } from './opened-cache.ts';

const pageSize = 500;
/** Characters of the pages at hand: many partitions and generations go through the same part of the log about the same time. */
const most = 32 * 1024 * 1024;
/** Small gaps are small pages, and each is looked through for what it covers. */
const mostPages = 500;

/** What the topics do not hold, read from the log itself. */
export class LogGaps {
  readonly #log: EventLog;
  readonly #opened: OpenedCache;
  /** By where they begin. */
  readonly #kept = new LRUCache<number, LogPage>({
    max: mostPages,
    maxSize: most,
    sizeCalculation: ({ events }) => events.reduce((sum, event) => sum + recordedSize(event), 1),
  });
  readonly #underWay = new Map<number, Promise<LogPage>>();

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
  async #page(after: number, limit: number): Promise<LogPage> {
    const kept = this.#covering(after);
    if (kept) return kept;
    const underWay = this.#underWay.get(after);
    if (underWay) return underWay;
    const reading = this.#read(after, limit).finally(() => this.#underWay.delete(after));
    this.#underWay.set(after, reading);
    return reading;
  }

  async #read(after: number, limit: number): Promise<LogPage> {
    const page = await this.#log.readAll({ after, limit });
    if (page.scannedTo > after) this.#kept.set(after, page);
    return page;
  }

  /** So those that began apart soon go on together. */
  #covering(after: number): LogPage | undefined {
    const own = this.#kept.get(after);
    if (own) return own;
    for (const [begin, page] of this.#kept.entries())
      if (begin < after && after < page.scannedTo) return page;
    return undefined;
  }
}
