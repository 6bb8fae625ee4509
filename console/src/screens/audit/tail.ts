/** At most this many events of a live tail are kept: older ones are in the log. */
export const maxKept = 1_000;

/** The last events of a log as they arrive, newest first. */
export interface Tail<Event> {
  readonly events: readonly Event[];
  /** How many have arrived, kept or not. */
  readonly seen: number;
}

export const emptyTail: Tail<never> = { events: [], seen: 0 };

/** The tail after more events, which are oldest first. */
export function grown<Event>(tail: Tail<Event>, arrived: readonly Event[]): Tail<Event> {
  if (arrived.length === 0) return tail;
  const newest = arrived.slice(-maxKept).toReversed();
  return {
    events: [...newest, ...tail.events.slice(0, maxKept - newest.length)],
    seen: tail.seen + arrived.length,
  };
}
