import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<true>();

/** Marks everything that `work` does, also later on, as work that nobody waits for: a busy database lets others go first. */
export function inBackground<T>(work: () => T): T {
  return storage.run(true, work);
}

export function isInBackground(): boolean {
  return storage.getStore() ?? false;
}
