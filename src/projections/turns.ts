import { setImmediate } from 'node:timers/promises';

/** Of fewer, such as a live read model takes, nobody is late for anything. */
const many = 200;

/** The end of the last of those that take many turns. */
let over: Promise<void> = Promise.resolve();

/**
 * The same items, `atOnce` at a time: in between requests get their turn, and the database its next statement. Of several that take
 * many turns one comes to its end before the next begins: the database soon has something to write, which all of them would be
 * late for if they took turns with each other. Not to be nested: the inner one would wait for the outer.
 */
export async function* inTurns<Item>(items: readonly Item[], atOnce = 50): AsyncGenerator<readonly Item[]> {
  let end = (): void => undefined;
  if (items.length > many) {
    const before = over;
    over = new Promise((resolve) => (end = resolve));
    await before;
  }
  try {
    for (let at = 0; at < items.length; at += atOnce) {
      if (at > 0) await setImmediate();
      yield items.slice(at, at + atOnce);
    }
  } finally {
    end();
  }
}
