import type { RecordedEvent } from '../ports/event-log.ts';
import type { EventStore, LoadedEvent, OpenedEvents, UnreadableEvent } from '../ports/event-store.ts';

const keptEvents = 4_000;

type Opened = LoadedEvent | UnreadableEvent;

/** Opens recorded events, each once for all projections of the process that come to it about the same time. */
export class OpenedCache {
  readonly #store: EventStore;
  /** By position, the oldest first. */
  readonly #kept = new Map<number, Promise<Opened>>();

  constructor(store: EventStore) {
    this.#store = store;
  }

  async open(recorded: readonly RecordedEvent[]): Promise<OpenedEvents> {
    this.#begin(recorded.filter(({ position }) => !this.#kept.has(position)));
    const opening = recorded.map(({ position }) => this.#kept.get(position)!);
    this.#forgetOldest();
    const opened = await Promise.all(opening);
    return {
      events: opened.filter((event) => 'event' in event),
      unreadable: opened.filter((event) => 'error' in event),
    };
  }

  #begin(recorded: readonly RecordedEvent[]): void {
    if (recorded.length === 0) return;
    const opening = this.#store
      .open(recorded)
      .then(
        ({ events, unreadable }) =>
          new Map<number, Opened>([...events, ...unreadable].map((event) => [event.position, event])),
      );
    for (const { position } of recorded) {
      const own = opening.then((opened) => opened.get(position)!);
      // Met where it is awaited; a vault that was away is asked again.
      own.catch(() => this.#kept.delete(position));
      this.#kept.set(position, own);
    }
  }

  #forgetOldest(): void {
    for (const position of this.#kept.keys()) {
      if (this.#kept.size <= keptEvents) break;
      this.#kept.delete(position);
    }
  }
}
