import type { Near } from '../../ports/vector-index.ts';
import { Best } from '../best.ts';
import { Codes } from './codes.ts';

/** To find the nearest by both bytes, this many times as many are first taken by the first bytes. */
const margin = 2;

/**
 * The vectors of one tenant in RAM. A query is compared with the first bytes of all of them, and with both bytes of the best.
 * Among 100,000 vectors of 384 numbers that takes 2 ms. Such a vector takes 1 kB.
 */
export class Segment {
  readonly #codes: Codes;
  readonly #ids: string[] = [];
  readonly #slots = new Map<string, number>();

  constructor(dimension: number) {
    this.#codes = new Codes(dimension);
  }

  get size(): number {
    return this.#ids.length;
  }

  /** Stores a vector of unit length under an id, replacing a former one. Throws `RangeError` if there is no memory left. */
  put(id: string, vector: Float32Array): void {
    const slot = this.#slots.get(id) ?? this.size;
    this.#codes.put(slot, vector);
    this.#ids[slot] = id;
    this.#slots.set(id, slot);
  }

  /** Removes a vector, if there is one: its bytes are overwritten by the last vector, and those of the last are cleared. */
  has(id: string): boolean {
    return this.#slots.has(id);
  }

  remove(id: string): void {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    this.#codes.move(this.size - 1, slot);
    const moved = this.#ids.pop()!;
    this.#slots.delete(id);
    if (moved === id) return;
    this.#ids[slot] = moved;
    this.#slots.set(moved, slot);
  }

  /** The vectors with the greatest cosine, nearest first; at most `limit`. `query` is of unit length. */
  nearest(query: Float32Array, limit: number): Near[] {
    const best = new Best(Math.min(margin * limit, this.size));
    this.#codes.forEachApproximate(query, this.size, (slot, cosine) => best.offer(slot, cosine));
    const slots = best.slots();
    return Array.from(this.#codes.cosines(query, slots), (cosine, at) => ({
      id: this.#ids[slots[at]!]!,
      cosine,
    }))
      .sort((left, right) => right.cosine - left.cosine)
      .slice(0, limit);
  }

  /** The cosine of each of `ids`; null if it has no vector. */
  cosines(query: Float32Array, ids: readonly string[]): (number | null)[] {
    const slots = ids.map((id) => this.#slots.get(id));
    const present = Int32Array.from(slots.filter((slot) => slot !== undefined));
    const cosines = this.#codes.cosines(query, present).values();
    return slots.map((slot) => (slot === undefined ? null : cosines.next().value!));
  }
}

/** Bytes of a vector: two for each number, its scale, and its id in a list and a map. */
export function bytesOfVector(dimension: number): number {
  return 2 * dimension + 200;
}
