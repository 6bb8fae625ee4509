import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { EventStore, LoadedEvent, LoadedPage, UnreadableEvent } from '../ports/event-store.ts';
import { totalSize } from '../support/recorded-size.ts';
import { WakeUp } from '../support/wake-up.ts';

const pageSize = 500;
/** Pages stay at hand for projections that follow closely behind: each event is read and opened once. */
const keptEvents = 4_000;
/** Characters as recorded. */
const keptSize = 32 * 1024 * 1024;
/** What was opened is in no memory for longer: it may be erased meanwhile. */
const keptMs = 30_000;
const doorbellMs = 1_000;
const retryMs = 1_000;

/** The log as all projections of a process read it: each from its own bookmark, sharing the pages they have in common. */
export class EventFeed {
  readonly #store: EventStore;
  /** By the position that they follow. */
  readonly #kept = new LRUCache<number, LoadedPage>({
    maxSize: keptSize,
    sizeCalculation: sizeOfPage,
    ttl: keptMs,
    ttlAutopurge: true,
  });
  readonly #underWay = new Map<number, Promise<LoadedPage | undefined>>();
  readonly #arrived = new WakeUp();
  readonly #reachedEnd = new WakeUp();
  #waiting = 0;
  /** Where `follow` stands. Without it readers look beyond by themselves. */
  #followed = Infinity;

  constructor(store: EventStore) {
    this.#store = store;
  }

  /**
   * Follows the log from its head until `signal` aborts, so that waiting readers wake; again from there after whatever
   * fails, which the readers meet and tell themselves. Run once a process.
   */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#followOn(signal).catch(() => undefined);
      await sleep(retryMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #followOn(signal: AbortSignal): Promise<void> {
    this.#followed = await this.#store.log.head();
    const pages = this.#store.subscribe({ after: this.#followed, batchSize: pageSize, signal });
    try {
      for await (const page of pages) {
        this.#keep(this.#followed, page);
        this.#followed = page.scannedTo;
        this.#arrived.wake();
        await this.#readerAtEnd(signal);
      }
    } finally {
      this.#followed = Infinity;
    }
  }

  /** The next events after `position`, as many as one transaction should take; waits for one, or answers undefined at `signal`. */
  async next(position: number, signal: AbortSignal): Promise<LoadedPage | undefined> {
    while (!signal.aborted) {
      const seen = this.#arrived.count;
      const page = this.#gather(position) ?? (await this.#readBehind(position));
      if (page) return page;
      this.#waiting++;
      this.#reachedEnd.wake();
      await this.#arrived.after(seen, doorbellMs, signal);
      this.#waiting--;
    }
    return undefined;
  }

  /** While every reader has older events to work on, nobody needs newer ones: a busy log is then read in large pages. */
  async #readerAtEnd(signal: AbortSignal): Promise<void> {
    while (this.#waiting === 0 && !signal.aborted) {
      await this.#reachedEnd.after(this.#reachedEnd.count, doorbellMs, signal);
    }
  }

  async #readBehind(position: number): Promise<LoadedPage | undefined> {
    return position < this.#followed ? this.#read(position) : undefined;
  }

  /** Readers at the same position share one read. */
  #read(position: number): Promise<LoadedPage | undefined> {
    const underWay = this.#underWay.get(position);
    if (underWay) return underWay;
    const reading = this.#readPage(position).finally(() => this.#underWay.delete(position));
    this.#underWay.set(position, reading);
    return reading;
  }

  async #readPage(position: number): Promise<LoadedPage | undefined> {
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
    if (!this.#kept.has(after)) this.#kept.set(after, page);
  }
}

/** In characters; an event counts for its share of `keptEvents` at least. */
function sizeOfPage({ events }: LoadedPage): number {
  return Math.max(totalSize(events), Math.ceil(((events.length + 1) * keptSize) / keptEvents));
}
