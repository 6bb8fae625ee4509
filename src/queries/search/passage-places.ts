import { LRUCache } from 'lru-cache';
import { passageSteps } from '../../domain/text/passages.ts';
import { runInSlices } from '../../support/time-slice.ts';
import type { Scored } from './shortlist.ts';

/** Offsets of a passage in its text, in UTF-16 units; `end` is exclusive. */
interface Place {
  readonly start: number;
  readonly end: number;
}

/** The passage of each result that has one, by memory id. */
export type PassagePlaces = ReadonlyMap<string, Place>;

/** Passages whose offsets are kept: those of the results that were asked for last. A text of a megabyte has thousands. */
const maxKept = 100_000;

/** By memory and revision. Offsets tell nothing of a text, so they may outlive it. */
const known = new LRUCache<string, readonly Place[]>({
  maxSize: maxKept,
  sizeCalculation: ({ length }) => Math.max(1, length),
});

/** Where the passages of results are that match best. */
export async function placesOf(results: readonly Scored[]): Promise<PassagePlaces> {
  const places = new Map<string, Place>();
  for (const { memory, passage } of results) {
    if (passage === undefined) continue;
    const key = `${memory.id} ${memory.revision}`;
    let own = known.get(key);
    if (!own) {
      const passages = await runInSlices(passageSteps(memory.content));
      known.set(key, (own = passages.map(({ start, end }) => ({ start, end }))));
    }
    const place = own[passage];
    if (place) places.set(memory.id, place);
  }
  return places;
}
