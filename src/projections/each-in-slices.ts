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
export async function eachInSlices<Item>(
  items: readonly Item[],
  action: (item: Item) => void,
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
      action(item);
    }
  } finally {
    end();
  }
}
