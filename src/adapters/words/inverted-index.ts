import { saturation, type WeightedTerms } from '../../domain/ranking/bm25.ts';
import { detachedCopy } from '../../domain/text/detached-copy.ts';
import { forEachTermCount } from '../../domain/text/term-counts-json.ts';
import type { TermSignal, Words } from '../../ports/word-index.ts';
import { Best } from '../best.ts';
import type { KeptRow } from '../resident/changes.ts';
import type { Contents } from '../resident/resident-table.ts';
import { Int32List } from './int32-list.ts';
import { Postings } from './postings.ts';

/** The words of a memory. */
export interface WordRow extends KeptRow {
  /** How often it holds each of its terms, as they are written: `{"green":1,"tea":2}`. */
  readonly counts: string;
  /** How many terms it has, repeated ones included. */
  readonly length: number;
}

/** So many slots of memories that have gone are left in any case, and otherwise no more than there are memories. */
const leastGone = 1_000;
/** A query of more terms has more than most memories hold. */
const fewTerms = 64;
/** What a memory takes beside its terms: its id in a list and a map, its length, and where its terms stand. */
export const bytesOfMemory = 200;
/** What a term takes beside its postings, … */
const bytesOfTerm = 250;
/** … and each of these: 8 bytes, with the room that lists have left. */
const bytesOfPosting = 10;

/**
 * Which of a tenant's memories hold which terms. A memory has a slot, and a new one when it changes: so postings grow at their end
 * only. Where most slots are of memories that have gone, the others are moved together.
 */
export class InvertedIndex implements Contents<WordRow>, Words {
  readonly #slots = new Map<string, number>();
  /** By slot; undefined where the memory has gone. */
  #ids: (string | undefined)[] = [];
  #lengths = new Int32List();
  /** The numbers of each memory's terms, one memory behind the other, and where those of each slot begin. */
  #held = new Int32List();
  #starts = new Int32List();
  readonly #numbers = new Map<string, number>();
  /** By number; numbers of terms that nobody uses any more are given again. */
  readonly #terms: { term: string; postings: Postings }[] = [];
  readonly #free: number[] = [];
  /** By slot, 0 between two searches. */
  #scores = new Float64Array(0);

  get size(): number {
    return this.#slots.size;
  }

  get documents(): number {
    return this.size;
  }

  /** About: it is asked often, and terms are many. */
  get bytes(): number {
    const lists = this.#lengths.bytes + this.#held.bytes + this.#starts.bytes + this.#scores.byteLength;
    const postings = bytesOfPosting * this.#held.length;
    return lists + postings + bytesOfMemory * this.#ids.length + bytesOfTerm * this.#terms.length;
  }

  documentFrequency(term: string): number {
    return this.#postingsOf(term)?.size ?? 0;
  }

  put(rows: readonly WordRow[]): void {
    for (const { memory_id, counts, length } of rows) {
      this.remove(memory_id);
      const slot = this.#ids.push(memory_id) - 1;
      this.#slots.set(memory_id, slot);
      this.#lengths.push(length);
      this.#starts.push(this.#held.length);
      forEachTermCount(counts, (term, count) => {
        const number = this.#numberOf(term);
        this.#terms[number]!.postings.add(slot, count);
        this.#held.push(number);
      });
    }
  }

  remove(memoryId: string): void {
    const slot = this.#slots.get(memoryId);
    if (slot === undefined) return;
    this.#slots.delete(memoryId);
    this.#ids[slot] = undefined;
    for (const number of this.#heldBy(slot)) {
      const { term, postings } = this.#terms[number]!;
      postings.remove(slot);
      if (postings.size === 0) this.#forget(term, number);
    }
    const gone = this.#ids.length - this.size;
    if (gone > Math.max(leastGone, this.size)) this.#moveTogether();
  }

  best({ terms, weights }: WeightedTerms, limit: number, among?: readonly string[]): string[] {
    const { touched, scores } = this.#score(terms, weights);
    const best = new Best(Math.min(limit, touched.length));
    const wanted = among && this.#marked(among);
    for (const slot of touched.values()) if (!wanted || wanted[slot]) best.offer(slot, scores[slot]!);
    const found = Array.from(best.slots(), (slot) => ({ id: this.#ids[slot]!, score: scores[slot]! }));
    for (const slot of touched.values()) scores[slot] = 0;
    found.sort((left, right) => right.score - left.score || (left.id < right.id ? -1 : 1));
    return found.map(({ id }) => id);
  }

  signals(terms: readonly string[], ids: readonly string[]): (TermSignal | undefined)[] {
    const frequenciesOf = terms.length > fewTerms ? this.#byTheirOwn(terms) : this.#byTerms(terms);
    const lengths = this.#lengths.values();
    return ids.map((id) => {
      const slot = this.#slots.get(id);
      if (slot === undefined) return undefined;
      const frequencies = frequenciesOf(slot);
      return {
        length: lengths[slot]!,
        frequencies: frequencies.some((frequency) => frequency > 0) ? frequencies : [],
      };
    });
  }

  /** How often a memory holds each of the terms: each of them is looked up in the memory. */
  #byTerms(terms: readonly string[]): (slot: number) => number[] {
    const postings = terms.map((term) => this.#postingsOf(term));
    return (slot) => postings.map((list) => list?.frequency(slot) ?? 0);
  }

  /** The same: each of the memory's own terms is looked up among these. */
  #byTheirOwn(terms: readonly string[]): (slot: number) => number[] {
    const places = new Map(terms.map((term, place) => [this.#numbers.get(term), place]));
    return (slot) => {
      const frequencies = terms.map(() => 0);
      for (const number of this.#heldBy(slot)) {
        const place = places.get(number);
        if (place !== undefined) frequencies[place] = this.#terms[number]!.postings.frequency(slot);
      }
      return frequencies;
    };
  }

  /** The scores by slot, and which slots have one: they are to be made 0 again. */
  #score(terms: readonly string[], weights: readonly number[]) {
    if (this.#scores.length < this.#ids.length)
      this.#scores = new Float64Array(Math.ceil(1.25 * this.#ids.length));
    const [scores, lengths, touched] = [this.#scores, this.#lengths.values(), new Int32List()];
    for (const [at, term] of terms.entries()) {
      const weight = weights[at]!;
      if (weight <= 0) continue;
      this.#postingsOf(term)?.forEach((slot, frequency) => {
        const before = scores[slot]!;
        if (before === 0) touched.push(slot);
        scores[slot] = before + weight * saturation(frequency, lengths[slot]!);
      });
    }
    return { touched, scores };
  }

  /** 1 at the slots of these memories. */
  #marked(ids: readonly string[]): Uint8Array {
    const marks = new Uint8Array(this.#ids.length);
    for (const id of ids) {
      const slot = this.#slots.get(id);
      if (slot !== undefined) marks[slot] = 1;
    }
    return marks;
  }

  #postingsOf(term: string): Postings | undefined {
    const number = this.#numbers.get(term);
    return number === undefined ? undefined : this.#terms[number]!.postings;
  }

  #numberOf(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#free.pop() ?? this.#terms.length;
    // What comes is cut out of the counts of a whole memory.
    const own = detachedCopy(term);
    this.#terms[number] = { term: own, postings: new Postings() };
    this.#numbers.set(own, number);
    return number;
  }

  /** A word that nobody uses any more may be what was erased. */
  #forget(term: string, number: number): void {
    this.#numbers.delete(term);
    this.#terms[number] = { term: '', postings: new Postings() };
    this.#free.push(number);
  }

  #heldBy(slot: number): Int32Array {
    const starts = this.#starts.values();
    return this.#held.values().subarray(starts[slot], starts[slot + 1] ?? this.#held.length);
  }

  #moveTogether(): void {
    const places = new Int32Array(this.#ids.length);
    const [ids, lengths, held, starts]: [string[], Int32List, Int32List, Int32List] = [
      [],
      new Int32List(),
      new Int32List(),
      new Int32List(),
    ];
    for (const [slot, id] of this.#ids.entries()) {
      if (id === undefined) continue;
      const place = ids.push(id) - 1;
      places[slot] = place;
      this.#slots.set(id, place);
      lengths.push(this.#lengths.values()[slot]!);
      starts.push(held.length);
      for (const number of this.#heldBy(slot)) held.push(number);
    }
    [this.#ids, this.#lengths, this.#held, this.#starts] = [ids, lengths, held, starts];
    for (const { postings } of this.#terms) postings.move(places);
    this.#scores = new Float64Array(0);
  }
}
