import { TimeSlice } from '../support/time-slice.ts';

/** Of fewer, such as a live read model takes, nobody is late for anything. */
const many = 200;

/** The end of the last of those that take many turns. */
let over: Promise<void> = Promise.resolve();

/**
 * Gives `take` each of them, with pauses for others wherever a turn was long enough. Of several that take many turns one
 * comes to its end before the next begins: the database soon has something to write, which all of them would be late for
 * if they took turns with each other. Not to be nested: the inner one would wait for the outer.
 */
export async function inTurns<Item>(items: readonly Item[], take: (item: Item) => void): Promise<void> {
  let end = (): void => undefined;
  if (items.length > many) {
    const before = over;
    over = new Promise((resolve) => (end = resolve));
    await before;
  }
  try {
    const slice = new TimeSlice();
    for (const item of items) {
      if (slice.isUsedUp) await slice.yield();
      take(item);
    }
  } finally {
    end();
  }
}
