import type { RecordedEvent } from '../../ports/event-log.ts';

/** Ids kept in all: about 20 MB. */
const maxIds = 100_000;

/** The ids of a stream's events from its first on. */
export interface KnownStream {
  readonly revisions: ReadonlyMap<string, number>;
  /** Of the last event known, -1 before the first. The stream may have gone on since. */
  readonly last: number;
}

/** What this process has seen of streams, so that an append need not read what cannot have changed. */
export class KnownStreams {
  /** In order of use, eldest first. */
  readonly #streams = new Map<string, { revisions: Map<string, number>; last: number }>();
  #ids = 0;

  /** undefined where nothing is known for certain, not even that the stream was empty. */
  get(stream: string): KnownStream | undefined {
    const known = this.#streams.get(stream);
    if (!known) return undefined;
    this.#streams.delete(stream);
    this.#streams.set(stream, known);
    return known;
  }

  /** Adds what a read forwards `from` a revision has shown; answers all that is known now, or undefined where the two do not join. */
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
