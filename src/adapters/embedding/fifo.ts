/** First in, first out, in constant time an item however long it gets. */
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

  /** The first `most` items, fewer when there are not so many. */
  shift(most: number): T[] {
    const taken = this.#items.slice(this.#head, this.#head + most);
    this.#head += taken.length;
    // Moving the rest costs as much as what was taken since the last move, so it is paid for.
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
