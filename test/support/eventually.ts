import { expect } from 'vitest';

/** Expects something of what `read` answers, some time within 10 s: as long as a busy machine may take. */
export function eventually<Value>(read: () => Value) {
  return expect.poll(read, { timeout: 10_000 });
}
