import { LRUCache } from 'lru-cache';
import type { RecordedEvent } from '../ports/event-log.ts';
import type { EventStore, LoadedEvent, OpenedEvents, UnreadableEvent } from '../ports/event-store.ts';
import { recordedSize } from '../support/recorded-size.ts';

/** Characters as recorded. */
const most = 32 * 1024 * 1024;
/** What was opened is in no memory for longer: it may be erased meanwhile. */
const keptMs = 30_000;

type Opened = LoadedEvent | UnreadableEvent;

/** Opens recorded events, each once for all projections of the process that come to it about the same time. */
export class OpenedCache {
  readonly #store: EventStore;
  /** By position. */
  readonly #kept = new LRUCache<number, Promise<Opened>>({
    maxSize: most,
    ttl: keptMs,
    ttlAutopurge: true,
  });

  constructor(store: EventStore) {
    this.#store = store;
  }

  async open(recorded: readonly RecordedEvent[]): Promise<OpenedEvents> {
    const kept = recorded.map(({ position }) => this.#kept.get(position));
    const begun = this.#begin(recorded.filter((_, index) => !kept[index]));
    const opened = await Promise.all(
      recorded.map(({ position }, index) => kept[index] ?? begun.get(position)!),
    );
    return {
      events: opened.filter((event) => 'event' in event),
      unreadable: opened.filter((event) => 'error' in event),
    };
  }

  #begin(recorded: readonly RecordedEvent[]): ReadonlyMap<number, Promise<Opened>> {
    const begun = new Map<number, Promise<Opened>>();
    if (recorded.length === 0) return begun;
    const opening = this.#store
      .open(recorded)
      .then(
        ({ events, unreadable }) =>
          new Map<number, Opened>([...events, ...unreadable].map((event) => [event.position, event])),
      );
    for (const event of recorded) {
      const { position } = event;
      const own = opening.then((opened) => opened.get(position)!);
      // Met where it is awaited; a vault that was away is asked again.
      own.catch(() => this.#kept.delete(position));
      begun.set(position, own);
      this.#kept.set(position, own, { size: recordedSize(event) });
    }
    return begun;
  }
}
