import { Problem } from '../domain/problems.ts';
import type { StreamName } from '../ports/event-log.ts';
import type { EventStore, LoadedEvent, UnreadableEvent } from '../ports/event-store.ts';
import type { Sql } from '../ports/sql.ts';
import { pause } from '../support/pause.ts';
import type { Follower } from './follower.ts';
import type { EventPlace, ParkedRow } from './parked-table.ts';
import { isTransient } from './transient.ts';

/** Pause before a step is repeated because the log has moved on meanwhile. */
const repeatMs = 50;

export interface ParkedStreamsOptions {
  readonly sql: Sql;
  readonly store: EventStore;
  /** The followers of this name that can have parked streams. Rejects with `not-found` for an unknown name. */
  readonly followersOf: (name: string) => Promise<readonly Follower[]>;
  /** Aborts when the process stops. */
  readonly signal: AbortSignal;
}

/** The parked streams of all followers: of every read model, in all its generations, and of every reactor. */
export class ParkedStreams {
  readonly #options: ParkedStreamsOptions;

  constructor(options: ParkedStreamsOptions) {
    this.#options = options;
  }

  /**
   * Gives the events of a parked stream to the followers again. Returns whether the stream was parked; rejects with `still-parked` if one
   * of them cannot handle them yet.
   */
  async retry(name: string, stream: string): Promise<boolean> {
    const { followersOf, sql, store, signal } = this.#options;
    let wasParked = false;
    let refusal: Problem | undefined;
    for (const follower of await followersOf(name)) {
      if (!(await follower.parked.at(sql, stream))) continue;
      wasParked = true;
      try {
        while (!(await retryParked(follower, { sql, store }, stream))) await this.#pause();
      } catch (error) {
        if (isTransient(error) || signal.aborted) throw error;
        const detail = `${name} and ${stream}: ${(error as Error).message}`;
        refusal ??= new Problem('still-parked', detail, { cause: error });
      }
    }
    if (refusal) throw refusal;
    return wasParked;
  }

  /** The event at which a stream is parked; undefined if it is not. */
  async parkedAt(name: string, stream: string): Promise<EventPlace | undefined> {
    for (const follower of await this.#options.followersOf(name)) {
      const place = await follower.parked.at(this.#options.sql, stream);
      if (place) return place;
    }
    return undefined;
  }

  /** Skips the event at `revision` in every follower where its stream is parked at it. Returns whether there was one. */
  async skip(name: string, stream: string, revision: number): Promise<boolean> {
    let wasParked = false;
    for (const follower of await this.#options.followersOf(name)) {
      let outcome: boolean | 'behind' = 'behind';
      while (outcome === 'behind') {
        outcome = await skipParked(follower, this.#options.store, stream, revision);
        if (outcome === 'behind') await this.#pause();
      }
      wasParked ||= outcome;
    }
    return wasParked;
  }

  /** Rejects if the process stops. */
  async #pause(): Promise<void> {
    const { signal } = this.#options;
    await pause(repeatMs, signal);
    if (signal.aborted) throw new Problem('unavailable', 'this process stops', { retryAfter: 2 });
  }
}

interface Servers {
  readonly sql: Sql;
  readonly store: EventStore;
}

/**
 * Gives the waiting events of a parked stream to the follower, one after another, so that a later failure repeats none of them, and
 * releases the stream. Returns false if the log has moved on meanwhile, so that this must be repeated. Rejects if an event cannot be
 * handled: the events before it are, and the stream is parked at it.
 */
export async function retryParked(follower: Follower, servers: Servers, stream: string): Promise<boolean> {
  const { parked } = follower;
  const { covered, events } = await eventsOf(follower, servers.store, stream);
  for (const event of events) {
    const place = await parked.at(servers.sql, stream);
    if (!place) return true;
    // It was handled, or skipped, before.
    if (event.position < place.position) continue;
    try {
      if ('error' in event) throw event.error;
      const next = await retryOne(follower, event, events, covered);
      if (next !== 'next') return next === 'released';
    } catch (error) {
      if (!isTransient(error)) await parked.note(servers.sql, stream, error);
      throw error;
    }
  }
  // The follower handles no event of it any more.
  return follower.transaction(async (tx) => {
    const row = await parked.lock(tx, stream);
    if (row && row.checkpoint > covered) return false;
    await parked.moveTo(tx, stream, undefined);
    return true;
  });
}

/** Handles the event at which the stream is parked. `events` are those of the stream up to `covered`. */
async function retryOne(
  follower: Follower,
  event: LoadedEvent,
  events: readonly StreamEvent[],
  covered: number,
): Promise<'next' | 'released' | 'behind'> {
  const { parked } = follower;
  const prepared = await follower.prepare([event]);
  return follower.transaction(async (tx) => {
    const row = await parked.lock(tx, event.stream);
    if (!row) return 'released';
    // Somebody else has handled it, or there are events that are not known here.
    if (row.position > event.position || row.checkpoint > covered) return 'behind';
    await follower.applyIn(tx, [event], prepared);
    const next = placeAfter({ ...row, position: event.position }, events);
    await parked.moveTo(tx, event.stream, next);
    return next ? 'next' : 'released';
  });
}

/**
 * Skips the event at `revision` if the stream is parked at it: the stream is then parked at the next event, or released. Returns whether
 * the stream was parked at the event, or 'behind' if the log has moved on meanwhile, so that this must be repeated.
 */
export async function skipParked(
  follower: Follower,
  store: EventStore,
  stream: string,
  revision: number | undefined,
): Promise<boolean | 'behind'> {
  const { parked } = follower;
  const { covered, events } = await eventsOf(follower, store, stream);
  return follower.transaction(async (tx) => {
    const row = await parked.lock(tx, stream);
    if (!row || row.revision !== revision) return false;
    if (row.checkpoint > covered) return 'behind';
    await parked.moveTo(tx, stream, placeAfter(row, events));
    return true;
  });
}

type StreamEvent = LoadedEvent | UnreadableEvent;

/** The events of a stream that the follower handles, in order, up to `covered`, the head of the log at that time. */
async function eventsOf(
  { handler }: Follower,
  store: EventStore,
  stream: string,
): Promise<{ readonly covered: number; readonly events: readonly StreamEvent[] }> {
  const covered = await store.log.head();
  const recorded = await store.log.readStream(stream as StreamName);
  const handled = recorded.filter(({ type }) => (handler.handles as readonly string[]).includes(type));
  const { events, unreadable } = await store.open(handled, { routingOnly: handler.routingOnly });
  return {
    covered,
    events: [...events, ...unreadable].sort((left, right) => left.position - right.position),
  };
}

/** Where the stream waits after its present event; undefined if nothing else waits. */
function placeAfter(
  { position, checkpoint }: ParkedRow,
  events: readonly StreamEvent[],
): EventPlace | undefined {
  const next = events.find((event) => event.position > position && event.position <= checkpoint);
  return next && { position: next.position, revision: next.revision, type: typeOf(next) };
}

function typeOf(event: StreamEvent): string {
  return 'error' in event ? event.type : event.event.type;
}
