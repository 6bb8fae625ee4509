import type { LoadedPage } from '../ports/event-store.ts';

/** Pages of the log for several readers that follow each other: each page is read and opened once, and the next one in advance. */
export class Pages {
  readonly #read: (after: number) => Promise<LoadedPage>;
  readonly #pages = new Map<number, Promise<LoadedPage>>();
  /** Ends of the pages that were read, by the position that they follow. */
  readonly #ends = new Map<number, number>();

  constructor(read: (after: number) => Promise<LoadedPage>) {
    this.#read = read;
  }

  /** The page after a position. At the end of the log it is read again each time. */
  async after(position: number): Promise<LoadedPage> {
    const page = await this.#load(position);
    if (page.scannedTo <= position) {
      this.#pages.delete(position);
      return page;
    }
    this.#ends.set(position, page.scannedTo);
    // The reader that awaits the page handles the error.
    this.#load(page.scannedTo).catch(() => undefined);
    return page;
  }

  /** The end of the page after a position, if it was read. */
  endOf(position: number): number | undefined {
    return this.#ends.get(position);
  }

  /** Drops pages before a position, which no reader needs any more. */
  dropBefore(position: number): void {
    for (const pages of [this.#pages, this.#ends])
      for (const after of pages.keys()) if (after < position) pages.delete(after);
  }

  #load(position: number): Promise<LoadedPage> {
    const known = this.#pages.get(position);
    if (known) return known;
    const page = this.#read(position);
    this.#pages.set(position, page);
    page.catch(() => this.#pages.delete(position));
    return page;
  }
}
