import { KernelMemory } from './kernel-memory.ts';

const largestShort = 32_767;
const largestSum = 2 ** 31 - 1;
const largestByte = 127;
/** What the first byte of a number counts. */
const coarse = 256;
/** Products that are computed at a time. */
const block = 4_096;

/**
 * Vectors of unit length, each number in two bytes, in units of the vector's own scale: its largest number by 32,512. The cosine
 * by the first bytes alone is off by .0005, one standard deviation, that by both by .000003.
 */
export class Codes {
  readonly #dimension: number;
  readonly #first: KernelMemory;
  readonly #second: KernelMemory;
  #scales = new Float32Array(block);

  constructor(dimension: number) {
    this.#dimension = dimension;
    // The kernel takes 16 bytes at a time.
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

  move(from: number, to: number): void {
    for (const memory of [this.#first, this.#second]) memory.move(from, to);
    this.#scales[to] = this.#scales[from]!;
  }

  /** Of each of `slots` the cosine by its first bytes. `query` is of unit length. */
  roughly(query: Float32Array, slots: Int32Array): Float64Array {
    const unit = this.#unitOf(query);
    const products = productsOf(this.#first, query, unit, slots);
    return products.map((product, at) => (product * coarse * this.#scales[slots[at]!]!) / unit);
  }

  /** Of each of `slots` the cosine by both. */
  exactly(query: Float32Array, slots: Int32Array): Float64Array {
    const unit = this.#unitOf(query);
    const second = productsOf(this.#second, query, unit, slots);
    return productsOf(this.#first, query, unit, slots).map(
      (product, at) => ((product * coarse + second[at]!) * this.#scales[slots[at]!]!) / unit,
    );
  }

  /**
   * What a number of the query is multiplied with to be a short: as much as can be, so that no product exceeds an integer. By
   * Cauchy and Schwarz it is at most the product of the lengths, and the codes' is at most 127 times the root of the dimension.
   */
  #unitOf(query: Float32Array): number {
    const mostLength = largestSum / (largestByte * Math.sqrt(this.#dimension)) - this.#dimension;
    return Math.min(largestShort / (largestOf(query) || 1), mostLength);
  }
}

function productsOf(
  { buffer, width, blockAt, rowsAt, kernel }: KernelMemory,
  query: Float32Array,
  unit: number,
  slots: Int32Array,
): Float64Array {
  const asked = new Int16Array(buffer, 0, width);
  for (let at = 0; at < query.length; at++) asked[at] = Math.round(query[at]! * unit);
  const shared = new Int32Array(buffer, blockAt, block);
  const products = new Float64Array(slots.length);
  for (let from = 0; from < slots.length; from += block) {
    const some = slots.subarray(from, from + block);
    shared.set(some);
    kernel.products(0, rowsAt, blockAt, some.length, width);
    products.set(shared.subarray(0, some.length), from);
  }
  return products;
}

function largestOf(vector: Float32Array): number {
  let largest = 0;
  for (let at = 0; at < vector.length; at++) {
    const number = Math.abs(vector[at]!);
    if (number > largest) largest = number;
  }
  return largest;
}
