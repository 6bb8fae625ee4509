/** A queue with amortised constant time for each item. */
export class Fifo<T> {
  #items: T[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  unshift(item: T): void {
    if (this.#head === 0) this.#items.unshift(item);
    else this.#items[--this.#head] = item;
  }

  /** Removes and returns the first `most` items, or fewer if there are not as many. */
  shift(most: number): T[] {
    const taken = this.#items.slice(this.#head, this.#head + most);
    this.#head += taken.length;
    // Moving the rest costs no more than the items taken since the last move, hence the amortised constant time.
    if (this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return taken;
  }

  drain(): T[] {
    return this.shift(this.size);
  }
}
