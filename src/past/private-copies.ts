import type { MemoryRef } from '../ports/surface.ts';
import { inBackground } from '../support/background.ts';
import { CopyDropped } from './kept-copy.ts';
import { countUntilClosed, type AskedCopy, type OpenCopy, type OpenedCopy } from './open-copy.ts';

/** `signal` aborts when the copies must be closed. */
export type PrivateWork<Result> = (
  open: (asked: Omit<AskedCopy, 'tenant'>) => Promise<OpenedCopy>,
  signal: AbortSignal,
) => Promise<Result>;

/** Copies of one tenant that one piece of work opens, uses and closes. */
export class PrivateCopies {
  readonly tenant: string;
  readonly #open: OpenCopy;
  readonly #dropped = new AbortController();
  readonly #opened: OpenedCopy[] = [];
  #done: Promise<unknown> = Promise.resolve();

  constructor(tenant: string, open: OpenCopy) {
    this.tenant = tenant;
    this.#open = open;
  }

  async use<Result>(work: PrivateWork<Result>): Promise<Result> {
    const { signal } = this.#dropped;
    signal.throwIfAborted();
    const open = async (asked: Omit<AskedCopy, 'tenant'>) => {
      const opened = await this.#open({ ...asked, tenant: this.tenant });
      this.#opened.push(opened);
      return opened;
    };
    const run = async (): Promise<Result> => {
      try {
        return await work(open, signal);
      } finally {
        await this.#close();
      }
    };
    const done = inBackground(run);
    this.#done = done.catch(() => undefined);
    return done;
  }

  async count(memories: readonly MemoryRef[]): Promise<number> {
    const counts = await Promise.all(
      this.#opened.map((opened) => countUntilClosed(opened, memories, () => !this.#opened.includes(opened))),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Resolves when the copies are closed. */
  async drop(): Promise<void> {
    this.#dropped.abort(new CopyDropped());
    await this.#done;
  }

  async #close(): Promise<void> {
    await Promise.all(this.#opened.splice(0).map((opened) => opened.close()));
  }
}
