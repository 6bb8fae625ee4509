import type { LoadedEvent } from '../ports/event-store.ts';
import type { Generation } from './generation.ts';
import type { EventPlace, ParkedRow } from './parked-table.ts';
import { isTransient, isOutOfMemory } from '../processors/transient.ts';
import { applyIn } from './projection.ts';

/**
 * Applies the waiting events of a parked stream up to the bookmark and releases the stream. `events` are all events of the stream up to
 * `covered` that the projection handles; returns false if the bookmark is beyond `covered` by now. Rejects if an event cannot be applied:
 * the events before it are, and the stream is parked at it.
 */
export async function retryParked(
  generation: Generation,
  stream: string,
  events: readonly LoadedEvent[],
  covered: number,
): Promise<boolean> {
  try {
    return await retryAll(generation, stream, events, covered);
  } catch (error) {
    if (isTransient(error) && !isOutOfMemory(error)) throw error;
    for (const event of events) await retryOne(generation, stream, event, events, covered);
    return retryAll(generation, stream, [], covered);
  }
}

/**
 * Skips the event at `revision` if the stream is parked at it: the stream is then parked at the next event, or released. `places` are
 * those of the stream's events up to `covered` that the projection handles, readable or not. Returns whether the stream was parked at the
 * event, or 'behind' if the bookmark is beyond `covered`.
 */
export function skipParked(
  generation: Generation,
  stream: string,
  revision: number,
  places: readonly EventPlace[],
  covered: number,
): Promise<boolean | 'behind'> {
  const { parked } = generation;
  return generation.transaction(async (tx) => {
    const row = await parked.lock(tx, stream);
    if (row?.revision !== revision) return false;
    if (row.bookmark > covered) return 'behind';
    await parked.moveTo(tx, stream, placeAfter(row, row.position, places));
    return true;
  });
}

async function retryAll(
  generation: Generation,
  stream: string,
  events: readonly LoadedEvent[],
  covered: number,
): Promise<boolean> {
  const { projection, tables, parked } = generation;
  const prepared = await generation.prepare(events);
  return generation.transaction(async (tx) => {
    const row = await parked.lock(tx, stream);
    if (!row) return true;
    if (row.bookmark > covered) return false;
    const waiting = events.filter(({ position }) => position >= row.position && position <= row.bookmark);
    if (waiting.length > 0) await applyIn(tx, projection, tables, waiting, prepared);
    await parked.moveTo(tx, stream, undefined);
    return true;
  });
}

async function retryOne(
  generation: Generation,
  stream: string,
  event: LoadedEvent,
  events: readonly LoadedEvent[],
  covered: number,
): Promise<void> {
  const { projection, tables, parked } = generation;
  try {
    const prepared = await generation.prepare([event]);
    await generation.transaction(async (tx) => {
      const row = await parked.lock(tx, stream);
      if (!row || row.bookmark > covered || event.position < row.position) return;
      await applyIn(tx, projection, tables, [event], prepared);
      const places = events.map((other) => ({ ...other, type: other.event.type }));
      await parked.moveTo(tx, stream, placeAfter(row, event.position, places));
    });
  } catch (error) {
    if (!isTransient(error))
      await generation.transaction((tx) => parked.note(tx, stream, (error as Error).message));
    throw error;
  }
}

function placeAfter(
  { bookmark }: ParkedRow,
  after: number,
  places: readonly EventPlace[],
): EventPlace | undefined {
  return places.find(({ position }) => position > after && position <= bookmark);
}
