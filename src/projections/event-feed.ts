import type { EventStore, LoadedEvent, LoadedPage, UnreadableEvent } from '../ports/event-store.ts';
import { WakeUp } from '../ports/wake-up.ts';

const pageSize = 500;
/** Pages stay at hand for projections that follow closely behind: each event is read and opened once. */
const keptEvents = 4_000;
const doorbellMs = 1_000;

/** The log as all projections of a process read it: each from its own bookmark, sharing the pages they have in common. */
export class EventFeed {
  readonly #store: EventStore;
  readonly #kept = new Map<number, LoadedPage>();
  readonly #arrived = new WakeUp();
  #keptCount = 0;

  constructor(store: EventStore) {
    this.#store = store;
  }

  /** Follows the log from its head until `signal` aborts, so that waiting readers wake. Run once a process. */
  async follow(signal: AbortSignal): Promise<void> {
    let after = await this.#store.log.head();
    for await (const page of this.#store.subscribe({ after, batchSize: pageSize, signal })) {
      this.#keep(after, page);
      after = page.scannedTo;
      this.#arrived.wake();
    }
  }

  /** The next events after `position`, as many as one transaction should take; waits for one, or answers undefined at `signal`. */
  async next(position: number, signal: AbortSignal): Promise<LoadedPage | undefined> {
    while (!signal.aborted) {
      const seen = this.#arrived.count;
      const page = this.#gather(position) ?? (await this.#read(position));
      if (page) return page;
      await this.#arrived.after(seen, doorbellMs, signal);
    }
    return undefined;
  }

  /** As `next`, but answers undefined at the end of the log. */
  async nextNow(position: number): Promise<LoadedPage | undefined> {
    return this.#gather(position) ?? this.#read(position);
  }

  async #read(position: number): Promise<LoadedPage | undefined> {
    const page = await this.#store.readAll({ after: position, limit: pageSize });
    if (page.scannedTo <= position) return undefined;
    this.#keep(position, page);
    return page;
  }

  /** Joins kept pages that follow each other: a reader that fell behind catches up in large steps. */
  #gather(position: number): LoadedPage | undefined {
    const events: LoadedEvent[] = [];
    const unreadable: UnreadableEvent[] = [];
    let scannedTo = position;
    for (let kept = this.#kept.get(scannedTo); kept; kept = this.#kept.get(scannedTo)) {
      events.push(...kept.events);
      unreadable.push(...kept.unreadable);
      scannedTo = kept.scannedTo;
      if (events.length >= pageSize) break;
    }
    return scannedTo > position ? { events, unreadable, scannedTo } : undefined;
  }

  #keep(after: number, page: LoadedPage): void {
    if (this.#kept.has(after)) return;
    this.#kept.set(after, page);
    this.#keptCount += page.events.length + 1;
    for (const [oldest, old] of this.#kept) {
      if (this.#keptCount <= keptEvents) break;
      this.#kept.delete(oldest);
      this.#keptCount -= old.events.length + 1;
    }
  }
}
