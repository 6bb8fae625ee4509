import { LeaseLost, type Term } from './processor.ts';

/** A part of the log, in order. */
export interface Page {
  /** The page covers the log up to this position, whether or not the last events are in it. */
  readonly scannedTo: number;
}

/**
 * Hands each page to `handle`, one after another, until the term ends. `pages` must begin after `checkpoint`. `handle`
 * moves the checkpoint and reports it with `term.reached`.
 */
export async function followLog<P extends Page>(
  term: Term,
  checkpoint: number,
  pages: AsyncIterable<P>,
  handle: (page: P) => Promise<void>,
): Promise<void> {
  term.began(checkpoint);
  for await (const page of pages) {
    if (term.signal.aborted) return;
    if (!term.isHeld) throw new LeaseLost('the lease expired before it was renewed');
    await handle(page);
  }
}
