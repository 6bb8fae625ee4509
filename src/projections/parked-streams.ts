import { Problem } from '../domain/problems.ts';
import type { StreamName } from '../ports/event-log.ts';
import type { EventStore, OpenedEvents } from '../ports/event-store.ts';
import type { Sql } from '../ports/sql.ts';
import { isTransient } from '../processors/transient.ts';
import { pause } from '../support/pause.ts';
import type { Generation } from './generation.ts';
import { retryParked, skipParked } from './parked.ts';
import type { EventPlace } from './parked-table.ts';

/** Pause before a step is repeated because the log has moved on meanwhile. */
const repeatMs = 50;

export interface ParkedStreamsOptions {
  readonly sql: Sql;
  readonly store: EventStore;
  /** The generations of a read model that can have parked streams. Rejects with `not-found` for an unknown name. */
  readonly generationsOf: (name: string) => Promise<readonly Generation[]>;
  /** Aborts when the process stops. */
  readonly signal: AbortSignal;
}

/** The parked streams of every read model, in all its generations. */
export class ParkedStreams {
  readonly #options: ParkedStreamsOptions;

  constructor(options: ParkedStreamsOptions) {
    this.#options = options;
  }

  /**
   * Gives the events of a parked stream to the projection again. Returns whether the stream was parked; rejects with
   * `still-parked` if the projection cannot apply them yet.
   */
  async retry(name: string, stream: string): Promise<boolean> {
    const { generationsOf, sql, signal } = this.#options;
    let wasParked = false;
    let refusal: Problem | undefined;
    for (const generation of await generationsOf(name)) {
      if (!(await generation.parked.at(sql, stream))) continue;
      wasParked = true;
      try {
        while (!(await this.#retryOnce(generation, stream))) await this.#pause();
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
    for (const generation of await this.#options.generationsOf(name)) {
      const place = await generation.parked.at(this.#options.sql, stream);
      if (place) return place;
    }
    return undefined;
  }

  /** Skips the event at `revision` in every generation where its stream is parked at it. Returns whether there was one. */
  async skip(name: string, stream: string, revision: number): Promise<boolean> {
    let wasParked = false;
    for (const generation of await this.#options.generationsOf(name)) {
      let outcome: boolean | 'behind' = 'behind';
      while (outcome === 'behind') {
        const { covered, events, unreadable } = await this.#eventsOf(generation, stream);
        const places = [...events.map((event) => ({ ...event, type: event.event.type })), ...unreadable];
        places.sort((left, right) => left.position - right.position);
        outcome = await skipParked(generation, stream, revision, places, covered);
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

  /** Returns false if the stream has got new events meanwhile, so that this must be repeated. */
  async #retryOnce(generation: Generation, stream: string): Promise<boolean> {
    const { covered, events, unreadable } = await this.#eventsOf(generation, stream);
    const waiting = await generation.parked.at(this.#options.sql, stream);
    // An event that was skipped before may never be readable.
    const blocking = unreadable.find(({ position }) => waiting && position >= waiting.position);
    if (blocking) throw blocking.error;
    return retryParked(generation, stream, events, covered);
  }

  /** The events of a stream that the projection handles, up to `covered`, the head of the log at that time. */
  async #eventsOf({ projection }: Generation, stream: string): Promise<OpenedEvents & { covered: number }> {
    const { store } = this.#options;
    const covered = await store.log.head();
    const recorded = await store.log.readStream(stream as StreamName);
    const handled = recorded.filter(({ type }) => (projection.handles as readonly string[]).includes(type));
    return { covered, ...(await store.open(handled)) };
  }
}
