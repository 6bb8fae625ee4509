/** Integers of 32 bits in one piece of memory that grows. */
export class Int32List {
  #values = new Int32Array(16);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get bytes(): number {
    return this.#values.byteLength;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Int32Array(Math.ceil(1.5 * this.#length));
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length++] = value;
  }

  /** All of them, until the next change. */
  values(): Int32Array {
    return this.#values.subarray(0, this.#length);
  }
}
