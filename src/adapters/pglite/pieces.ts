const initialBytes = 256 * 2 ** 10;
/** What a larger reply took is given back. */
const keptBytes = 4 * 2 ** 20;

/** The pieces of a reply of PostgreSQL, in one. */
export class Pieces {
  #bytes = Buffer.allocUnsafeSlow(initialBytes);
  #end = 0;

  /** Keeps a piece, which the database overwrites afterwards. Messages need not end where pieces do. */
  take(piece: Uint8Array): void {
    const end = this.#end + piece.length;
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#end);
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.#end);
    this.#end = end;
  }

  /** What was taken since `forget`, until something else is. */
  get taken(): Buffer {
    return this.#bytes.subarray(0, this.#end);
  }

  /** What was taken is over, or was broken off. */
  forget(): void {
    this.#end = 0;
    if (this.#bytes.length > keptBytes) this.#bytes = Buffer.allocUnsafeSlow(initialBytes);
  }
}
