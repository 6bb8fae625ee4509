/** Keeps the slots with the highest scores of all that are offered, in a heap with the lowest score at its root. */
export class Best {
  readonly #slots: Int32Array;
  readonly #scores: Float64Array;
  #size = 0;
  /** Score that a further slot must exceed. */
  #least = -Infinity;

  /** `limit` is the number of slots to keep. */
  constructor(limit: number) {
    this.#slots = new Int32Array(limit);
    this.#scores = new Float64Array(limit);
    if (limit === 0) this.#least = Infinity;
  }

  offer(slot: number, score: number): void {
    if (score <= this.#least) return;
    if (this.#size < this.#slots.length) this.#rise(this.#size++, slot, score);
    else this.#sink(slot, score);
    if (this.#size === this.#slots.length) this.#least = this.#scores[0]!;
  }

  /** The slots that were kept, in no particular order. */
  slots(): Int32Array {
    return this.#slots.slice(0, this.#size);
  }

  #rise(from: number, slot: number, score: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#scores[parent]! <= score) break;
      this.#set(at, this.#slots[parent]!, this.#scores[parent]!);
      at = parent;
    }
    this.#set(at, slot, score);
  }

  #sink(slot: number, score: number): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && this.#scores[child + 1]! < this.#scores[child]!) child++;
      if (this.#scores[child]! >= score) break;
      this.#set(at, this.#slots[child]!, this.#scores[child]!);
      at = child;
    }
    this.#set(at, slot, score);
  }

  #set(at: number, slot: number, score: number): void {
    this.#slots[at] = slot;
    this.#scores[at] = score;
  }
}
