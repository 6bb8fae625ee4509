/** Always the same, since bits of different rotations cannot be compared. Its own have no pattern (the golden ratio's). */
const seed = 0x9e3779b9;

/**
 * A rotation of vectors as good as one drawn at random: each number keeps or changes its sign, and the Hadamard transform adds
 * them up in all ways. It leaves distances as they are (but for one factor), and spreads over all numbers what stood in a few,
 * so that a bit of each tells equally much (as in N. Ailon, B. Chazelle, "Approximate nearest neighbors and the fast
 * Johnson-Lindenstrauss transform", STOC 2006).
 */
export class Rotation {
  readonly #signs: Float32Array;
  readonly #rotated: Float32Array;

  /** Of vectors of so many numbers. */
  constructor(dimension: number) {
    this.#signs = randomSigns(dimension);
    this.#rotated = new Float32Array(Math.max(64, 2 ** Math.ceil(Math.log2(dimension))));
  }

  /** How many numbers a rotated vector has: a power of 2, at least 64. */
  get dimension(): number {
    return this.#rotated.length;
  }

  /** Overwritten by the next call. */
  of(vector: Float32Array): Float32Array {
    const [signs, rotated] = [this.#signs, this.#rotated];
    rotated.fill(0);
    for (let at = 0; at < signs.length; at++) rotated[at] = vector[at]! * signs[at]!;
    transform(rotated);
    return rotated;
  }
}

/** The Hadamard transform in place. Two of its levels at a time: half of what one at a time reads and writes. */
function transform(numbers: Float32Array): void {
  const size = numbers.length;
  let step = 1;
  for (; 2 * step < size; step *= 4) {
    for (let from = 0; from < size; from += 4 * step) {
      for (let at = from; at < from + step; at++) {
        const [b, c, d] = [at + step, at + 2 * step, at + 3 * step];
        const sum = numbers[at]! + numbers[b]!;
        const difference = numbers[at]! - numbers[b]!;
        const otherSum = numbers[c]! + numbers[d]!;
        const otherDifference = numbers[c]! - numbers[d]!;
        numbers[at] = sum + otherSum;
        numbers[b] = difference + otherDifference;
        numbers[c] = sum - otherSum;
        numbers[d] = difference - otherDifference;
      }
    }
  }
  if (step === size) return;
  for (let at = 0; at < step; at++) {
    const [left, right] = [numbers[at]!, numbers[at + step]!];
    numbers[at] = left + right;
    numbers[at + step] = left - right;
  }
}

/** By xorshift (G. Marsaglia, 2003). */
function randomSigns(count: number): Float32Array {
  let state = seed;
  return Float32Array.from({ length: count }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state < 0 ? -1 : 1;
  });
}
