import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<true>();

/**
 * Marks `work`, and everything asynchronous that it starts, as background work that no caller waits for. A busy database
 * runs other statements first.
 */
export function inBackground<T>(work: () => T): T {
  return storage.run(true, work);
}

export function isInBackground(): boolean {
  return storage.getStore() ?? false;
}
