import { LRUCache } from 'lru-cache';
import type { RecordedEvent } from '../ports/event-log.ts';
import type { EventStore, LoadedEvent, OpenedEvents, UnreadableEvent } from '../ports/event-store.ts';
import { idsByTenant, type MemoryRef, type Surface } from '../ports/surface.ts';
import { isAbout } from '../follow/event-feed.ts';
import { recordedSize } from '../support/recorded-size.ts';

/** Maximum size of the cached events in characters, as recorded. */
const maxCachedSize = 32 * 1024 * 1024;
/** Opened events stay in memory no longer than this: they may be erased meanwhile. */
const cachedMs = 30_000;

type Opened = LoadedEvent | UnreadableEvent;

/** Opens recorded events, each once for all projections of the process that reach it at about the same time. */
export class OpenedCache implements Surface {
  readonly name = 'decrypted records of topics';
  readonly #store: EventStore;
  /** Opened events, by position. */
  readonly #cache = new LRUCache<number, Promise<Opened>>({
    maxSize: maxCachedSize,
    ttl: cachedMs,
    ttlAutopurge: true,
  });

  constructor(store: EventStore) {
    this.#store = store;
  }

  /** Number of decrypted events that are about the memories. */
  async count(memories: readonly MemoryRef[]): Promise<number> {
    const opened = await Promise.allSettled(this.#cache.values());
    const ids = idsByTenant(memories);
    return opened.filter(
      (one) => one.status === 'fulfilled' && 'event' in one.value && isAbout(one.value, ids),
    ).length;
  }

  /** Empties the cache: events of other memories are decrypted again. */
  forget(): Promise<void> {
    this.#cache.clear();
    return Promise.resolve();
  }

  async open(recorded: readonly RecordedEvent[]): Promise<OpenedEvents> {
    const cached = recorded.map(({ position }) => this.#cache.get(position));
    const started = this.#startOpening(recorded.filter((_, index) => !cached[index]));
    const opened = await Promise.all(
      recorded.map(({ position }, index) => cached[index] ?? started.get(position)!),
    );
    return {
      events: opened.filter((event) => 'event' in event),
      unreadable: opened.filter((event) => 'error' in event),
    };
  }

  #startOpening(recorded: readonly RecordedEvent[]): ReadonlyMap<number, Promise<Opened>> {
    const started = new Map<number, Promise<Opened>>();
    if (recorded.length === 0) return started;
    const opening = this.#store
      .open(recorded)
      .then(
        ({ events, unreadable }) =>
          new Map<number, Opened>([...events, ...unreadable].map((event) => [event.position, event])),
      );
    for (const event of recorded) {
      const { position } = event;
      const own = opening.then((opened) => opened.get(position)!);
      // The reader that awaits it handles the error. Later readers try again, since the vault may be back.
      own.catch(() => this.#cache.delete(position));
      started.set(position, own);
      this.#cache.set(position, own, { size: recordedSize(event) });
    }
    return started;
  }
}
