import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Refuses the use of a database handle from inside one of its own transactions: on a single connection it would wait
 * for ever for that transaction to end, and on a server it would see another snapshot.
 */
export class NestingGuard {
  readonly #current = new AsyncLocalStorage<{ open: boolean }>();

  /** Throws inside a body that `run` has not finished. */
  check(): void {
    if (this.#current.getStore()?.open)
      throw new Error(
        'the database was used inside its own transaction: use the executor that the body was given',
      );
  }

  async run<T>(body: () => Promise<T>): Promise<T> {
    const scope = { open: true };
    try {
      return await this.#current.run(scope, body);
    } finally {
      scope.open = false;
    }
  }
}
