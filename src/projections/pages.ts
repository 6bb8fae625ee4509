import type { LoadedPage } from '../ports/event-store.ts';

/** Pages of the log that several go through, one behind the other: each is read and opened once, and the next one meanwhile. */
export class Pages {
  readonly #read: (after: number) => Promise<LoadedPage>;
  readonly #pages = new Map<number, Promise<LoadedPage>>();
  /** Of those that were read, by their beginning. */
  readonly #ends = new Map<number, number>();

  constructor(read: (after: number) => Promise<LoadedPage>) {
    this.#read = read;
  }

  /** The page that follows a position. One at the end of the log is read anew each time. */
  async after(position: number): Promise<LoadedPage> {
    const page = await this.#keep(position);
    if (page.scannedTo <= position) {
      this.#pages.delete(position);
      return page;
    }
    this.#ends.set(position, page.scannedTo);
    // Met where it is awaited, if it ever is.
    this.#keep(page.scannedTo).catch(() => undefined);
    return page;
  }

  /** Where the page ends that follows a position, if it was asked for. */
  endOf(position: number): number | undefined {
    return this.#ends.get(position);
  }

  /** Nobody asks for what comes before a position any more. */
  letGo(position: number): void {
    for (const pages of [this.#pages, this.#ends])
      for (const after of pages.keys()) if (after < position) pages.delete(after);
  }

  #keep(position: number): Promise<LoadedPage> {
    const known = this.#pages.get(position);
    if (known) return known;
    const page = this.#read(position);
    this.#pages.set(position, page);
    page.catch(() => this.#pages.delete(position));
    return page;
  }
}
