const initialBytes = 256 * 2 ** 10;
/** A larger buffer is released after its reply. */
const keptBytes = 4 * 2 ** 20;

/** Collects the chunks of a reply of PostgreSQL in one buffer. */
export class ReplyBuffer {
  #bytes = Buffer.allocUnsafeSlow(initialBytes);
  #end = 0;

  /** Copies a chunk, which the database overwrites afterwards. Chunks may end in the middle of a message. */
  append(chunk: Uint8Array): void {
    const end = this.#end + chunk.length;
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#end);
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#end);
    this.#end = end;
  }

  /** The chunks since `clear`. Valid until the next `append`. */
  get content(): Buffer {
    return this.#bytes.subarray(0, this.#end);
  }

  /** Starts a new reply. */
  clear(): void {
    this.#end = 0;
    if (this.#bytes.length > keptBytes) this.#bytes = Buffer.allocUnsafeSlow(initialBytes);
  }
}
