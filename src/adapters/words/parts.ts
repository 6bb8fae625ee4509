import type { Part } from '../../domain/access/counted-parts.ts';
import { Int32List } from './int32-list.ts';

/** Parts of a tenant, marked by number. */
export interface MarkedParts {
  /** Number of memories in them. */
  readonly documents: number;
  /** 1 at the number of each part that is marked. */
  readonly marks: Uint8Array;
}

/** The part that the memory of each slot is counted in, and how many memories each part has. */
export class Parts {
  readonly #numbers = new Map<Part, number>();
  /** Parts by number. Numbers of empty parts are reused, so that no name of a part is kept for longer than its memories. */
  readonly #parts: { name: Part; documents: number }[] = [];
  readonly #freeNumbers: number[] = [];
  #bySlot = new Int32List();

  get bytes(): number {
    return this.#bySlot.bytes;
  }

  /** The number of each slot's part. Invalid after the next `push`. */
  bySlot(): Int32Array {
    return this.#bySlot.values();
  }

  /** Adds the next slot. */
  push(name: Part): void {
    const number = this.#numberOf(name);
    this.#parts[number]!.documents++;
    this.#bySlot.push(number);
  }

  /** Stops counting the memory of a slot, which keeps its number until `keep`. */
  remove(slot: number): void {
    const number = this.#bySlot.values()[slot]!;
    const part = this.#parts[number]!;
    if (--part.documents > 0) return;
    this.#numbers.delete(part.name);
    part.name = '';
    this.#freeNumbers.push(number);
  }

  /** Keeps these slots only, renumbered in this order. */
  keep(slots: readonly number[]): void {
    const numbers = this.#bySlot.values();
    this.#bySlot = new Int32List();
    for (const slot of slots) this.#bySlot.push(numbers[slot]!);
  }

  mark(names: readonly Part[]): MarkedParts {
    const marks = new Uint8Array(this.#parts.length);
    let documents = 0;
    for (const name of new Set(names)) {
      const number = this.#numbers.get(name);
      if (number === undefined) continue;
      marks[number] = 1;
      documents += this.#parts[number]!.documents;
    }
    return { documents, marks };
  }

  #numberOf(name: Part): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#freeNumbers.pop() ?? this.#parts.length;
    this.#parts[number] = { name, documents: 0 };
    this.#numbers.set(name, number);
    return number;
  }
}
