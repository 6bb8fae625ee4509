import { expect } from 'vitest';

/** Expects that `read` returns a matching value within 30 s, long enough for a busy machine. */
export function eventually<Value>(read: () => Value) {
  return expect.poll(read, { timeout: 30_000 });
}
