import { setImmediate } from 'node:timers/promises';

/** About two milliseconds of work. */
const atOnce = 50;

/**
 * The same items, some at a time: in between requests get their turn, and the database its next statement. It comes at once to
 * the first ones.
 */
export async function* inTurns<Item>(items: Iterable<Item>): AsyncGenerator<readonly Item[]> {
  let slice: Item[] = [];
  for (const item of items) {
    if (slice.length === atOnce) {
      yield slice;
      await setImmediate();
      slice = [];
    }
    slice.push(item);
  }
  if (slice.length > 0) yield slice;
}
