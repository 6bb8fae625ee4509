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
  readonly #kept = new Map<string, Promise<LogPage>>();

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
      // Positions grow by one at least: a small gap is a small read.
      const page = await this.#page(at, Math.min(pageSize, to - at));
      if (page.scannedTo <= at)
        throw new LogUnavailable(`the log ends at ${at}, a topic is at ${to} already`);
      at = Math.min(page.scannedTo, to);
      const due = page.events.filter(
        ({ stream, type, position }) => position <= to && generation.takes(partition, stream, type),
      );
      if (due.length > 0) yield { ...(await this.#opened.open(due)), scannedTo: at };
    }
  }

  #page(after: number, limit: number): Promise<LogPage> {
    const key = `${after} ${limit}`;
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const page = this.#log.readAll({ after, limit });
    this.#kept.set(key, page);
    const forget = (): void => void this.#kept.delete(key);
    page.then(({ scannedTo }) => scannedTo <= after && forget(), forget);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= keptPages) break;
      this.#kept.delete(oldest);
    }
    return page;
  }
}
