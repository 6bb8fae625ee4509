import { NEAR_DUPLICATE, nearDuplicate, shingles, type Shingles } from '../text/shingles.ts';

/** Near-duplicates have almost the same length; punctuation and white space do not count, hence the margin. */
const leastLengthRatio = NEAR_DUPLICATE * 0.8;

/** Finds texts that repeat each other. Texts are compared only if their lengths are close. */
export class Repetition {
  readonly #texts: readonly string[];
  readonly #shingles = new Map<number, Shingles>();

  constructor(texts: readonly string[]) {
    this.#texts = texts;
  }

  /** Whether the texts at two indices are near-duplicates. */
  isBetween(one: number, other: number): boolean {
    const [short = 0, long = 0] = [this.#texts[one]!.length, this.#texts[other]!.length].toSorted(
      (a, b) => a - b,
    );
    return short >= leastLengthRatio * long && nearDuplicate(this.#shinglesOf(one), this.#shinglesOf(other));
  }

  #shinglesOf(index: number): Shingles {
    const known = this.#shingles.get(index) ?? shingles(this.#texts[index]!);
    this.#shingles.set(index, known);
    return known;
  }
}
