import {
  LogUnavailable,
  WrongExpectedRevision,
  type AppendResult,
  type ExpectedRevision,
  type RecordedEvent,
  type StoredEvent,
  type StreamName,
} from '../../ports/event-log.ts';
import { KeyedMutex } from '../../support/keyed-mutex.ts';
import type { Connection } from './connection.ts';
import { KnownStreams, type KnownStream } from './known-streams.ts';
import { readStream } from './stream-reader.ts';

/**
 * Writes each event id only once. The server does not guarantee that: it writes a known id again at the head, and with `any` it
 * remembers only a limited number of ids. So the stream is read first and then appended to at exactly the revision that was
 * read. If another writer was faster, the append fails and the stream is read again.
 */
export class Appender {
  readonly #connection: Connection;
  readonly #known = new KnownStreams();
  /** Streams with an append whose outcome is unknown: an earlier read may miss its events. */
  readonly #uncertain = new Set<string>();
  readonly #byStream = new KeyedMutex();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  append(
    stream: StreamName,
    expected: ExpectedRevision,
    events: readonly StoredEvent[],
  ): Promise<AppendResult> {
    return this.#byStream.run(stream, () => this.#append(stream, expected, events));
  }

  /** Records the events of a stream that was read from its start, so that the next append need not read it again. */
  seen(stream: string, events: readonly RecordedEvent[]): void {
    if (!this.#uncertain.has(stream)) this.#known.learn(stream, 0, events);
  }

  async #append(
    stream: StreamName,
    expected: ExpectedRevision,
    events: readonly StoredEvent[],
  ): Promise<AppendResult> {
    const ids = events.map(({ id }) => id.toLowerCase());
    const revision = expected === 'noStream' ? -1 : expected;
    let known = this.#known.get(stream);
    // If the known events end at the expected revision, the server's own check of the revision suffices.
    if (!known || known.last !== revision || ids.some((id) => known!.revisions.has(id)))
      known = await this.#read(stream);
    for (;;) {
      const first = firstRevisionOf(ids, known, revision);
      if (first !== undefined) return this.#result(stream, first + ids.length - 1, true);
      if (!agrees(revision, known.last) || !areNew(ids, known)) {
        throw new WrongExpectedRevision(stream, expected, known.last < 0 ? undefined : known.last);
      }
      const at = known.last;
      if (await this.#write(stream, at, events)) {
        this.#known.learn(
          stream,
          at + 1,
          ids.map((id, index) => ({ id, revision: at + 1 + index })),
        );
        return this.#result(stream, at + ids.length, false);
      }
      known = await this.#read(stream);
    }
  }

  /** Returns false if another writer was faster. */
  async #write(stream: StreamName, at: number, events: readonly StoredEvent[]): Promise<boolean> {
    try {
      return (await this.#connection.append(stream, at, events)).kind === 'written';
    } catch (error) {
      if (error instanceof LogUnavailable) {
        this.#uncertain.add(stream);
        this.#known.forget(stream);
      }
      throw error;
    }
  }

  /** Reads the stream from the last known event to its end. */
  async #read(stream: string): Promise<KnownStream> {
    for (;;) {
      const from = (this.#known.get(stream)?.last ?? -1) + 1;
      const events = await readStream(this.#connection, stream, { from, backwards: false, limit: Infinity });
      const known = this.#known.learn(stream, from, events);
      // The stream may have been evicted meanwhile.
      if (!known) continue;
      this.#uncertain.delete(stream);
      return known;
    }
  }

  /** Reads the last event for its time, which the response to an append does not contain. */
  async #result(stream: string, revision: number, repeated: boolean): Promise<AppendResult> {
    const range = { from: revision, backwards: false, limit: 1 };
    const [last] = await readStream(this.#connection, stream, range);
    if (!last) throw new LogUnavailable(`${stream} does not show revision ${revision} yet`);
    return { revision, position: last.position, time: last.time, repeated };
  }
}

/** Revision of the first event if all events are in the stream already, in this order and after the expected revision. */
function firstRevisionOf(
  ids: readonly string[],
  { revisions }: KnownStream,
  expected: 'any' | 'exists' | number,
): number | undefined {
  const first = revisions.get(ids[0]!);
  if (first === undefined || (typeof expected === 'number' && first !== expected + 1)) return undefined;
  return ids.every((id, index) => revisions.get(id) === first + index) ? first : undefined;
}

function agrees(expected: 'any' | 'exists' | number, last: number): boolean {
  return expected === 'any' || (expected === 'exists' ? last >= 0 : expected === last);
}

function areNew(ids: readonly string[], { revisions }: KnownStream): boolean {
  return new Set(ids).size === ids.length && !ids.some((id) => revisions.has(id));
}
