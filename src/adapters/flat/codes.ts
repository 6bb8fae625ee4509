import { KernelMemory } from './kernel-memory.ts';

const largestShort = 32_767;
const largestSum = 2 ** 31 - 1;
const largestByte = 127;
/** The first byte of a number counts this many units, the second byte single ones. */
const coarse = 256;
/** How many rows one call of the kernel compares. */
const block = 4_096;

/**
 * Unit vectors, each number in two bytes, in units of the vector's own scale: its largest number divided by 32,512. The cosine
 * computed from the first bytes is off by .0005 (one standard deviation), from both bytes by .000003.
 */
export class Codes {
  readonly #dimension: number;
  readonly #first: KernelMemory;
  readonly #second: KernelMemory;
  /** The scale of each vector, by slot. */
  #scales = new Float32Array(block);

  constructor(dimension: number) {
    this.#dimension = dimension;
    // The kernel reads 16 bytes at a time.
    const width = Math.ceil(dimension / 16) * 16;
    const layout = { width, query: width * Int16Array.BYTES_PER_ELEMENT, block };
    this.#first = new KernelMemory(layout);
    this.#second = new KernelMemory(layout);
  }

  put(slot: number, vector: Float32Array): void {
    for (const memory of [this.#first, this.#second]) memory.makeRoom(slot + 1);
    if (slot >= this.#scales.length) {
      const scales = new Float32Array(2 * slot);
      scales.set(this.#scales);
      this.#scales = scales;
    }
    const scale = largestOf(vector) / (largestByte * coarse);
    this.#scales[slot] = scale;
    const [first, second] = [this.#first.row(slot), this.#second.row(slot)];
    const unit = 1 / (scale || 1);
    for (let at = 0; at < vector.length; at++) {
      const number = Math.round(vector[at]! * unit);
      const byte = (number + coarse / 2) >> 8;
      first[at] = byte;
      second[at] = number - byte * coarse;
    }
  }

  /** Moves the vector `from` into the slot `to`, and clears `from`. */
  move(from: number, to: number): void {
    for (const memory of [this.#first, this.#second]) memory.move(from, to);
    this.#scales[to] = this.#scales[from]!;
  }

  /** Visits every slot below `size` with its cosine as computed from the first bytes. `query` is of unit length. */
  forEachApproximate(query: Float32Array, size: number, visit: (slot: number, cosine: number) => void): void {
    const unit = this.#unitOf(query);
    const factor = coarse / unit;
    const [memory, scales] = [this.#first, this.#scales];
    memory.setQuery(query, unit);
    for (let from = 0; from < size; from += block) {
      const products = memory.products(from, Math.min(block, size - from));
      for (let at = 0; at < products.length; at++)
        visit(from + at, products[at]! * factor * scales[from + at]!);
    }
  }

  /** The cosine of each of `slots`, computed from both bytes. `query` is of unit length. */
  cosines(query: Float32Array, slots: Int32Array): Float64Array {
    const unit = this.#unitOf(query);
    for (const memory of [this.#first, this.#second]) memory.setQuery(query, unit);
    const cosines = new Float64Array(slots.length);
    for (let from = 0; from < slots.length; from += block) {
      const some = slots.subarray(from, from + block);
      const [first, second] = [this.#first.productsAt(some), this.#second.productsAt(some)];
      for (let at = 0; at < some.length; at++) {
        const product = first[at]! * coarse + second[at]!;
        cosines[from + at] = (product * this.#scales[some[at]!]!) / unit;
      }
    }
    return cosines;
  }

  /**
   * The factor that turns numbers of the query into shorts: the largest that keeps every sum within 32 bits. By Cauchy-Schwarz a
   * sum is at most the product of the two lengths, and the length of a row is at most 127 times the root of the dimension.
   */
  #unitOf(query: Float32Array): number {
    const mostLength = largestSum / (largestByte * Math.sqrt(this.#dimension)) - this.#dimension;
    return Math.min(largestShort / (largestOf(query) || 1), mostLength);
  }
}

function largestOf(vector: Float32Array): number {
  let largest = 0;
  for (let at = 0; at < vector.length; at++) {
    const number = Math.abs(vector[at]!);
    if (number > largest) largest = number;
  }
  return largest;
}
