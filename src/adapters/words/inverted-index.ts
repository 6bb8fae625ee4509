import type { Part } from '../../domain/access/counted-parts.ts';
import { saturation, type TermStatistics, type WeightedTerms } from '../../domain/ranking/bm25.ts';
import { detachedCopy } from '../../domain/text/detached-copy.ts';
import { forEachTermCount } from '../../domain/text/term-counts-json.ts';
import type { TermSignal } from '../../ports/word-index.ts';
import { Best } from '../best.ts';
import type { KeptRow } from '../resident/changes.ts';
import type { Contents } from '../resident/resident-table.ts';
import { Int32List } from './int32-list.ts';
import { Parts } from './parts.ts';
import { Postings } from './postings.ts';

/** The words of a text. */
export interface CountedText extends KeptRow {
  /** Its term counts as stored: `{"green":1,"tea":2}`. */
  readonly counts: string;
  /** Number of its terms, including repeated ones. */
  readonly length: number;
  /** The part of the tenant that it is counted in. */
  readonly part: Part;
}

export interface ScoredText {
  readonly id: string;
  readonly score: number;
}

/** Best first, in a fixed order. */
export function bestFirst(left: ScoredText, right: ScoredText): number {
  return right.score - left.score || (left.id < right.id ? -1 : 1);
}

/** Slots of removed memories are reclaimed when there are more of them than this and than memories. */
const leastRemoved = 1_000;
/** A query with more terms than this has more terms than most memories. */
const fewTerms = 64;
/** Bytes of a memory without its terms: its id in a list and a map, its length, and the start of its terms. */
export const bytesOfMemory = 200;
/** Bytes of a term without its postings. */
const bytesOfTerm = 250;
/** Bytes of one posting: 8, and spare capacity. */
const bytesOfPosting = 10;

/**
 * Which of a tenant's memories contain which terms. A memory gets a new slot whenever it changes, so that postings grow at their
 * end only. When most slots belong to removed memories, the others are compacted.
 */
export class InvertedIndex implements Contents<CountedText> {
  readonly #slots = new Map<string, number>();
  /** Ids of the memories, by slot; undefined if the memory was removed. */
  #ids: (string | undefined)[] = [];
  #lengths = new Int32List();
  readonly #parts = new Parts();
  /** The numbers of each memory's terms, one memory after the other, and where those of each slot start. */
  #termNumbers = new Int32List();
  #starts = new Int32List();
  readonly #numbers = new Map<string, number>();
  /** Terms by number. Numbers of terms that are no longer used are reused. */
  readonly #terms: { term: string; postings: Postings }[] = [];
  readonly #freeNumbers: number[] = [];
  /** Scores by slot; all 0 between two searches. */
  #scores = new Float64Array(0);

  get size(): number {
    return this.#slots.size;
  }

  get documents(): number {
    return this.size;
  }

  /** An estimate: exact counting would take too long for something that is read often. */
  get bytes(): number {
    const lists =
      this.#lengths.bytes +
      this.#parts.bytes +
      this.#termNumbers.bytes +
      this.#starts.bytes +
      this.#scores.byteLength;
    const postings = bytesOfPosting * this.#termNumbers.length;
    return lists + postings + bytesOfMemory * this.#ids.length + bytesOfTerm * this.#terms.length;
  }

  statistics(terms: readonly string[], parts: 'all' | readonly Part[]): TermStatistics {
    const counted = parts === 'all' ? undefined : this.#parts.mark(parts);
    const documents = counted?.documents ?? this.documents;
    // A tenant of one user, for example, needs no look at each posting.
    const isAll = documents === this.documents;
    const frequencyOf = (term: string) => {
      const postings = this.#postingsOf(term);
      if (!postings || documents === 0) return 0;
      return isAll || !counted ? postings.size : postings.countIn(this.#parts.bySlot(), counted.marks);
    };
    return { documents, documentFrequency: new Map(terms.map((term) => [term, frequencyOf(term)])) };
  }

  put(rows: readonly CountedText[]): void {
    for (const { memory_id, counts, length, part } of rows) {
      this.remove(memory_id);
      const slot = this.#ids.push(memory_id) - 1;
      this.#slots.set(memory_id, slot);
      this.#lengths.push(length);
      this.#parts.push(part);
      this.#starts.push(this.#termNumbers.length);
      forEachTermCount(counts, (term, count) => {
        const number = this.#numberOf(term);
        this.#terms[number]!.postings.add(slot, count);
        this.#termNumbers.push(number);
      });
    }
  }

  has(memoryId: string): boolean {
    return this.#slots.has(memoryId);
  }

  remove(memoryId: string): void {
    const slot = this.#slots.get(memoryId);
    if (slot === undefined) return;
    this.#slots.delete(memoryId);
    this.#ids[slot] = undefined;
    this.#parts.remove(slot);
    for (const number of this.#termsOf(slot)) {
      const { term, postings } = this.#terms[number]!;
      postings.remove(slot);
      if (postings.size === 0) this.#forget(term, number);
    }
    const removed = this.#ids.length - this.size;
    if (removed > Math.max(leastRemoved, this.size)) this.#compact();
  }

  /** The texts that contain any of the terms, best first by BM25; at most `limit`. */
  best({ terms, weights }: WeightedTerms, limit: number, among?: readonly string[]): ScoredText[] {
    const { touched, scores } = this.#score(terms, weights);
    const best = new Best(Math.min(limit, touched.length));
    const wanted = among && this.#marked(among);
    for (const slot of touched.values()) if (!wanted || wanted[slot]) best.offer(slot, scores[slot]!);
    const found = Array.from(best.slots(), (slot) => ({ id: this.#ids[slot]!, score: scores[slot]! }));
    for (const slot of touched.values()) scores[slot] = 0;
    return found.sort(bestFirst);
  }

  signals(terms: readonly string[], ids: readonly string[]): (TermSignal | undefined)[] {
    const frequenciesOf = terms.length > fewTerms ? this.#byOwnTerms(terms) : this.#byTerms(terms);
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

  /** The frequency of each term in a memory, by looking the memory up in the postings of each. */
  #byTerms(terms: readonly string[]): (slot: number) => number[] {
    const postings = terms.map((term) => this.#postingsOf(term));
    return (slot) => postings.map((list) => list?.frequency(slot) ?? 0);
  }

  /** The same, by looking up each of the memory's own terms among the given ones. */
  #byOwnTerms(terms: readonly string[]): (slot: number) => number[] {
    const places = new Map(terms.map((term, place) => [this.#numbers.get(term), place]));
    return (slot) => {
      const frequencies = terms.map(() => 0);
      for (const number of this.#termsOf(slot)) {
        const place = places.get(number);
        if (place !== undefined) frequencies[place] = this.#terms[number]!.postings.frequency(slot);
      }
      return frequencies;
    };
  }

  /** Returns the scores by slot, and the slots that have one. The caller resets these scores to 0. */
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

  /** Marks by slot: 1 for these memories. */
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
    const number = this.#freeNumbers.pop() ?? this.#terms.length;
    // The term is a slice of a longer string, which it would keep alive.
    const own = detachedCopy(term);
    this.#terms[number] = { term: own, postings: new Postings() };
    this.#numbers.set(own, number);
    return number;
  }

  /** Leaves no copy of a term that is no longer used: it may have been erased. */
  #forget(term: string, number: number): void {
    this.#numbers.delete(term);
    this.#terms[number] = { term: '', postings: new Postings() };
    this.#freeNumbers.push(number);
  }

  #termsOf(slot: number): Int32Array {
    const starts = this.#starts.values();
    return this.#termNumbers.values().subarray(starts[slot], starts[slot + 1] ?? this.#termNumbers.length);
  }

  #compact(): void {
    const places = new Int32Array(this.#ids.length);
    const kept: number[] = [];
    const [ids, lengths, termNumbers, starts]: [string[], Int32List, Int32List, Int32List] = [
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
      kept.push(slot);
      starts.push(termNumbers.length);
      for (const number of this.#termsOf(slot)) termNumbers.push(number);
    }
    [this.#ids, this.#lengths, this.#termNumbers, this.#starts] = [ids, lengths, termNumbers, starts];
    this.#parts.keep(kept);
    for (const { postings } of this.#terms) postings.move(places);
    this.#scores = new Float64Array(0);
  }
}
