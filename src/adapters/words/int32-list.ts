/** A growing list of 32-bit integers in one typed array. */
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

  /** All values. Invalid after the next `push`. */
  values(): Int32Array {
    return this.#values.subarray(0, this.#length);
  }
}
