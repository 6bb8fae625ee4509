/**
 * Waits for statements of one transaction that were sent one behind the other, in their order: the database works on the
 * first while the next is still being written. All are over before it rejects, with the reason of the first that failed.
 */
export async function allDone(statements: readonly Promise<unknown>[]): Promise<void> {
  for (const done of await Promise.allSettled(statements)) {
    if (done.status === 'rejected') throw done.reason;
  }
}
