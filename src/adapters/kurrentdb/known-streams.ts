import type { RecordedEvent } from '../../ports/event-log.ts';

/** Maximum number of cached ids, about 20 MB. */
const maxIds = 100_000;

/** The event ids of a stream from its start. */
export interface KnownStream {
  readonly revisions: ReadonlyMap<string, number>;
  /** Revision of the last known event, -1 for none. The stream may have grown since. */
  readonly last: number;
}

/** Caches the event ids of streams, so that an append need not read them again. */
export class KnownStreams {
  /** In order of use, least recent first. */
  readonly #streams = new Map<string, { revisions: Map<string, number>; last: number }>();
  #ids = 0;

  /** Undefined if nothing is known about the stream, not even that it was empty. */
  get(stream: string): KnownStream | undefined {
    const known = this.#streams.get(stream);
    if (!known) return undefined;
    this.#streams.delete(stream);
    this.#streams.set(stream, known);
    return known;
  }

  /** Adds the events of a forward read that started at `from`. Returns all known events, or undefined if there is a gap between them. */
  learn(
    stream: string,
    from: number,
    events: readonly Pick<RecordedEvent, 'id' | 'revision'>[],
  ): KnownStream | undefined {
    const known = this.#streams.get(stream) ?? { revisions: new Map<string, number>(), last: -1 };
    if (from > known.last + 1) return undefined;
    this.#streams.delete(stream);
    this.#streams.set(stream, known);
    for (const { id, revision } of events) {
      if (revision <= known.last) continue;
      known.revisions.set(id, revision);
      known.last = revision;
      this.#ids++;
    }
    this.#evict(stream);
    return known;
  }

  forget(stream: string): void {
    this.#ids -= this.#streams.get(stream)?.revisions.size ?? 0;
    this.#streams.delete(stream);
  }

  #evict(inUse: string): void {
    for (const eldest of this.#streams.keys()) {
      if (this.#ids + this.#streams.size <= maxIds) return;
      if (eldest !== inUse) this.forget(eldest);
    }
  }
}
