import { LRUCache } from 'lru-cache';
import { searchedPassageSteps, type RepresentationKind } from '../../domain/memory/searched-text.ts';
import { runInSlices } from '../../support/time-slice.ts';
import type { Scored } from './shortlist.ts';

/** Offsets of a passage in the content of its memory, or in a representation, in UTF-16 units; `end` is exclusive. */
export interface Place {
  readonly start: number;
  readonly end: number;
  /** The representation that matches; absent if the content does. */
  readonly representation?: RepresentationKind;
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
      const passages = await runInSlices(searchedPassageSteps(memory));
      known.set(key, (own = passages.map(({ heading: _, ...place }) => place)));
    }
    const place = own[passage];
    // A short content, where it matches better than the representations.
    const isWhole = place?.representation === undefined && place?.end === memory.content.length;
    if (place && !(isWhole && place.start === 0)) places.set(memory.id, place);
  }
  return places;
}
