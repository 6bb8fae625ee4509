import type { Steps } from '../domain/steps.ts';
import { TimeSlice } from '../support/time-slice.ts';

/** Shorter lists, such as a live read model handles, do not wait for each other. */
const longList = 200;

/** Resolves when the last long list has been processed. */
let lastLongList: Promise<void> = Promise.resolve();

/**
 * Calls `action` for each item and yields to other work whenever a time slice is used up. Long lists are processed one after another:
 * if they alternated, each would finish late, and the database would have nothing to write meanwhile. Must not be nested: the inner
 * call would wait for the outer one.
 */
export function eachInSlices<Item>(items: readonly Item[], action: (item: Item) => void): Promise<void> {
  // eslint-disable-next-line require-yield -- one item is one step
  return stepsInSlices(items, function* (item) {
    action(item);
  });
}

/** The same for items that take several steps each, such as long texts. */
export async function stepsInSlices<Item>(
  items: readonly Item[],
  action: (item: Item) => Steps<void>,
): Promise<void> {
  let end = (): void => undefined;
  if (items.length > longList) {
    const before = lastLongList;
    lastLongList = new Promise((resolve) => (end = resolve));
    await before;
  }
  try {
    const slice = new TimeSlice();
    for (const item of items) {
      if (slice.isUsedUp) await slice.yield();
      const steps = action(item);
      while (!steps.next().done) if (slice.isUsedUp) await slice.yield();
    }
  } finally {
    end();
  }
}
