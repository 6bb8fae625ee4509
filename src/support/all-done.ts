/**
 * Waits for statements of one transaction that were sent without waiting for each other: the database executes the first while the next
 * one is being sent. Rejects only after all have ended, with the reason of the first that failed.
 */
export async function allDone(statements: readonly Promise<unknown>[]): Promise<void> {
  for (const done of await Promise.allSettled(statements)) {
    if (done.status === 'rejected') throw done.reason;
  }
}
