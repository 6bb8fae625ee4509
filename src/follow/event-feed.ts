import { LRUCache } from 'lru-cache';
import type { EventStore, LoadedEvent, LoadedPage, UnreadableEvent } from '../ports/event-store.ts';
import { idsByTenant, type MemoryRef, type Surface } from '../ports/surface.ts';
import { memoryStream } from '../domain/streams.ts';
import { pause } from '../support/pause.ts';
import { totalSize } from '../support/recorded-size.ts';
import { WakeUp } from '../support/wake-up.ts';

const pageSize = 500;
/** Number of events in the cache. Processors that follow closely behind find them there, so each event is read and decrypted once. */
const cachedEvents = 4_000;
/** In characters, as recorded. */
const cachedSize = 32 * 1024 * 1024;
/** How long decrypted events stay in the cache: they may be erased meanwhile. */
const cachedMs = 30_000;
const pollMs = 1_000;
const retryMs = 1_000;

/** Reads the log for all processors of a process. Each reads from its own checkpoint; those at the same position share decrypted pages. */
export class EventFeed implements Surface {
  readonly name = 'decrypted pages of the log';
  readonly #store: EventStore;
  /** Pages by the position before their first event. */
  readonly #cache = new LRUCache<number, LoadedPage>({
    maxSize: cachedSize,
    sizeCalculation: sizeOfPage,
    ttl: cachedMs,
    ttlAutopurge: true,
  });
  readonly #reading = new Map<number, Promise<LoadedPage | undefined>>();
  readonly #arrived = new WakeUp();
  readonly #reachedEnd = new WakeUp();
  /** How often the cache was emptied: a page that was read before is not kept. */
  #emptied = 0;
  #waiting = 0;
  /** The position that `follow` has reached. While it is not running, readers look for new events themselves. */
  #followed = Infinity;

  constructor(store: EventStore) {
    this.#store = store;
  }

  /**
   * Follows the log from its head until `signal` aborts and wakes waiting readers. Continues after any error: the readers
   * encounter it too and report it. Called once per process.
   */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#followFromHead(signal).catch(() => undefined);
      await pause(retryMs, signal);
    }
  }

  async #followFromHead(signal: AbortSignal): Promise<void> {
    this.#followed = await this.#store.log.head();
    const pages = this.#store.subscribe({ after: this.#followed, batchSize: pageSize, signal });
    try {
      for await (const page of pages) {
        this.#put(this.#followed, page);
        this.#followed = page.scannedTo;
        this.#arrived.wake();
        await this.#readerAtEnd(signal);
      }
    } finally {
      this.#followed = Infinity;
    }
  }

  /** Number of decrypted events that are about the memories. */
  count(memories: readonly MemoryRef[]): Promise<number> {
    const events = [...this.#cache.values()].flatMap((page) => page.events);
    const ids = idsByTenant(memories);
    return Promise.resolve(events.filter((event) => isAbout(event, ids)).length);
  }

  /** Empties the cache: events of other memories are decrypted again. */
  forget(): Promise<void> {
    this.#emptied++;
    this.#cache.clear();
    return Promise.resolve();
  }

  /** The pages after a position, without gap or overlap, until `signal` aborts. */
  async *pages(after: number, signal: AbortSignal): AsyncGenerator<LoadedPage> {
    for (let position = after; ;) {
      const page = await this.next(position, signal);
      if (!page) return;
      yield page;
      position = page.scannedTo;
    }
  }

  /** The next events after `position`, as many as one transaction should take. Waits for one; undefined once `signal` aborts. */
  async next(position: number, signal: AbortSignal): Promise<LoadedPage | undefined> {
    while (!signal.aborted) {
      const seen = this.#arrived.count;
      const page = this.#joinCached(position) ?? (await this.#readBehind(position));
      if (page) return page;
      this.#waiting++;
      this.#reachedEnd.wake();
      await this.#arrived.after(seen, pollMs, signal);
      this.#waiting--;
    }
    return undefined;
  }

  /** While every reader has older events to work on, no newer ones are fetched: a busy log is then read in large pages. */
  async #readerAtEnd(signal: AbortSignal): Promise<void> {
    while (this.#waiting === 0 && !signal.aborted) {
      await this.#reachedEnd.after(this.#reachedEnd.count, pollMs, signal);
    }
  }

  async #readBehind(position: number): Promise<LoadedPage | undefined> {
    return position < this.#followed ? this.#read(position) : undefined;
  }

  /** Readers at the same position share one read. */
  #read(position: number): Promise<LoadedPage | undefined> {
    const shared = this.#reading.get(position);
    if (shared) return shared;
    const reading = this.#readPage(position).finally(() => this.#reading.delete(position));
    this.#reading.set(position, reading);
    return reading;
  }

  async #readPage(position: number): Promise<LoadedPage | undefined> {
    const emptied = this.#emptied;
    const page = await this.#store.readAll({ after: position, limit: pageSize });
    if (page.scannedTo <= position) return undefined;
    if (emptied === this.#emptied) this.#put(position, page);
    return page;
  }

  /** Joins cached pages that follow each other: a reader that has fallen behind catches up in large steps. */
  #joinCached(position: number): LoadedPage | undefined {
    const events: LoadedEvent[] = [];
    const unreadable: UnreadableEvent[] = [];
    let scannedTo = position;
    for (let cached = this.#cache.get(scannedTo); cached; cached = this.#cache.get(scannedTo)) {
      events.push(...cached.events);
      unreadable.push(...cached.unreadable);
      scannedTo = cached.scannedTo;
      if (events.length >= pageSize) break;
    }
    return scannedTo > position ? { events, unreadable, scannedTo } : undefined;
  }

  #put(after: number, page: LoadedPage): void {
    if (!this.#cache.has(after)) this.#cache.set(after, page);
  }
}

/** Events of other streams that may quote memories. Those of searches and of the audit have their ids only. */
const quoting: ReadonlySet<string> = new Set([
  'SummaryGenerated',
  'ReasoningTraceRecorded',
  'LessonLearned',
  'LessonRevised',
]);

const uuids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Whether a decrypted event may hold content of one of the memories, given by tenant, or quote it. */
export function isAbout(
  { stream, event, metadata, erased }: LoadedEvent,
  memories: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  const ids = memories.get(metadata.tenant);
  if (!ids || erased) return false;
  const own = memoryStream(metadata.tenant, '');
  if (stream.startsWith(own) && ids.has(stream.slice(own.length))) return event.type !== 'MemoryErased';
  if (!quoting.has(event.type)) return false;
  return (JSON.stringify(event.data).match(uuids) ?? []).some((id) => ids.has(id));
}

/** In characters; an event counts as at least its share of `cachedEvents`. */
function sizeOfPage({ events }: LoadedPage): number {
  return Math.max(totalSize(events), Math.ceil(((events.length + 1) * cachedSize) / cachedEvents));
}
