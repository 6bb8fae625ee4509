import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Rejects the use of a database handle inside one of its own transactions. On a single connection it would wait forever for the
 * transaction to end, and on a server it would see another snapshot.
 */
export class NestingGuard {
  readonly #current = new AsyncLocalStorage<{ open: boolean }>();

  /** Throws inside a body that is still run by `run`. */
  check(): void {
    if (this.#current.getStore()?.open)
      throw new Error(
        'the database was used inside its own transaction: use the executor that is passed to the body',
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
