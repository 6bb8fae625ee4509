import {
  LogUnavailable,
  WrongExpectedRevision,
  type AppendResult,
  type ExpectedRevision,
  type RecordedEvent,
  type StoredEvent,
  type StreamName,
} from '../../ports/event-log.ts';
import type { Connection } from './connection.ts';
import { KnownStreams, type KnownStream } from './known-streams.ts';
import { readStream } from './stream-reader.ts';
import { KeyedMutex } from '../../support/keyed-mutex.ts';

/**
 * Appends that write an id once. The server does not see to that by itself: it writes a known id again at the head, and
 * with `any` it knows only the ids in a bounded memory. So the stream is looked at first, and then appended to at the
 * exact revision that was seen; whoever wrote meanwhile makes that fail, and it is looked at again.
 */
export class Appender {
  readonly #connection: Connection;
  readonly #known = new KnownStreams();
  /** Streams with an append whose outcome is unknown: what was read of them before may be too little. */
  readonly #uncertain = new Set<string>();
  readonly #turns = new KeyedMutex();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  append(
    stream: StreamName,
    expected: ExpectedRevision,
    events: readonly StoredEvent[],
  ): Promise<AppendResult> {
    return this.#turns.run(stream, () => this.#append(stream, expected, events));
  }

  /** Takes note of a stream that was read from its first event on: an append after it need not read it again. */
  seen(stream: string, events: readonly RecordedEvent[]): void {
    if (!this.#uncertain.has(stream)) this.#known.learn(stream, 0, events);
  }

  async #append(
    stream: StreamName,
    expected: ExpectedRevision,
    events: readonly StoredEvent[],
  ): Promise<AppendResult> {
    const ids = events.map(({ id }) => id.toLowerCase());
    const wanted = expected === 'noStream' ? -1 : expected;
    let known = this.#known.get(stream);
    // What is known up to the expected revision is all there is if the server agrees to that revision.
    if (!known || known.last !== wanted || ids.some((id) => known!.revisions.has(id)))
      known = await this.#look(stream);
    for (;;) {
      const first = placeOf(ids, known, wanted);
      if (first !== undefined) return this.#result(stream, first + ids.length - 1, true);
      if (!agrees(wanted, known.last) || !areNew(ids, known)) {
        throw new WrongExpectedRevision(stream, expected, known.last < 0 ? undefined : known.last);
      }
      const at = known.last;
      if (await this.#write(stream, at, events)) {
        const revision = at + ids.length;
        this.#known.learn(
          stream,
          at + 1,
          ids.map((id, index) => ({ id, revision: at + 1 + index })),
        );
        return this.#result(stream, revision, false);
      }
      known = await this.#look(stream);
    }
  }

  /** Whether they were written: false where another writer was first. */
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

  /** Reads on from what is known of the stream to its end. */
  async #look(stream: string): Promise<KnownStream> {
    for (;;) {
      const from = (this.#known.get(stream)?.last ?? -1) + 1;
      const events = await readStream(this.#connection, stream, { from, backwards: false, limit: Infinity });
      const known = this.#known.learn(stream, from, events);
      // Meanwhile it may have been forgotten in favour of other streams.
      if (!known) continue;
      this.#uncertain.delete(stream);
      return known;
    }
  }

  /** The server's reply to an append does not tell the time. */
  async #result(stream: string, revision: number, repeated: boolean): Promise<AppendResult> {
    const range = { from: revision, backwards: false, limit: 1 };
    const [last] = await readStream(this.#connection, stream, range);
    if (!last) throw new LogUnavailable(`${stream} does not show revision ${revision} yet`);
    return { revision, position: last.position, time: last.time, repeated };
  }
}

/** Where the events stand already, in this order and at the expected place. */
function placeOf(
  ids: readonly string[],
  { revisions }: KnownStream,
  wanted: 'any' | 'exists' | number,
): number | undefined {
  const first = revisions.get(ids[0]!);
  if (first === undefined || (typeof wanted === 'number' && first !== wanted + 1)) return undefined;
  return ids.every((id, index) => revisions.get(id) === first + index) ? first : undefined;
}

function agrees(wanted: 'any' | 'exists' | number, last: number): boolean {
  return wanted === 'any' || (wanted === 'exists' ? last >= 0 : wanted === last);
}

function areNew(ids: readonly string[], { revisions }: KnownStream): boolean {
  return new Set(ids).size === ids.length && !ids.some((id) => revisions.has(id));
}
