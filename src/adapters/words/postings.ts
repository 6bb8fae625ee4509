/** The memories that contain one term, by slot, with the term's frequency. 8 bytes each, plus spare capacity for half as many. */
export class Postings {
  /** Slots and frequencies alternate, slots ascending; the frequency of a removed memory is 0. */
  #entries = new Int32Array(4);
  #end = 0;
  #size = 0;

  /** Number of memories that contain the term. */
  get size(): number {
    return this.#size;
  }

  /** `slot` must be greater than all before it. */
  add(slot: number, frequency: number): void {
    if (this.#end === this.#entries.length) {
      const larger = new Int32Array(2 * Math.ceil(0.75 * this.#end));
      larger.set(this.#entries);
      this.#entries = larger;
    }
    this.#entries[this.#end++] = slot;
    this.#entries[this.#end++] = frequency;
    this.#size++;
  }

  remove(slot: number): void {
    const at = this.#find(slot);
    if (at === undefined || this.#entries[at + 1] === 0) return;
    this.#entries[at + 1] = 0;
    this.#size--;
  }

  /** How often the memory contains the term. */
  frequency(slot: number): number {
    const at = this.#find(slot);
    return at === undefined ? 0 : this.#entries[at + 1]!;
  }

  /** Number of memories that contain the term, in the marked parts. `parts` has the number of each slot's part. */
  countIn(parts: Int32Array, marks: Uint8Array): number {
    let count = 0;
    const [entries, end] = [this.#entries, this.#end];
    for (let at = 0; at < end; at += 2) if (entries[at + 1]! > 0) count += marks[parts[entries[at]!]!]!;
    return count;
  }

  /** Visits every memory that contains the term. */
  forEach(visit: (slot: number, frequency: number) => void): void {
    const [entries, end] = [this.#entries, this.#end];
    for (let at = 0; at < end; at += 2) {
      const frequency = entries[at + 1]!;
      if (frequency > 0) visit(entries[at]!, frequency);
    }
  }

  /** Renumbers the slots, which keep their order, and drops removed memories. */
  move(places: Int32Array): void {
    const moved = new Int32Array(2 * Math.max(2, this.#size));
    let end = 0;
    this.forEach((slot, frequency) => {
      moved[end++] = places[slot]!;
      moved[end++] = frequency;
    });
    this.#entries = moved;
    this.#end = end;
  }

  #find(slot: number): number | undefined {
    let [low, high] = [0, this.#end / 2 - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const there = this.#entries[2 * middle]!;
      if (there === slot) return 2 * middle;
      if (there < slot) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }
}
