import { readFileSync } from 'node:fs';
import { randomFrom } from './random.ts';

/** About as many words as 100,000 English texts of 60 words use. */
const size = 60_000;
/** Zipf–Mandelbrot: the share of the word of rank r is proportional to 1 / (r + shift). */
const shift = 2.7;
const consonants = 'bcdfghklmnprstvwz';
const vowels = 'aeiou';

/** Words by decreasing frequency: those of the shipped corpus, then invented ones for the long tail. */
export class Vocabulary {
  readonly words: readonly string[];
  readonly #cumulated: Float64Array;

  constructor() {
    const known = corpusWords();
    this.words = [...known, ...inventedWords(new Set(known), size - known.length)];
    this.#cumulated = new Float64Array(size);
    let sum = 0;
    for (let rank = 0; rank < size; rank++) this.#cumulated[rank] = sum += 1 / (rank + 1 + shift);
  }

  /** Draws a word by frequency and returns its rank. */
  draw(random: () => number): number {
    const wanted = random() * this.#cumulated[size - 1]!;
    let low = 0;
    let high = size - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#cumulated[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The texts of the shipped corpus, in order. */
export function corpusTexts(): string[] {
  return readFileSync('corpus/memories.ndjson', 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { content: string }).content);
}

function corpusWords(): string[] {
  const counts = new Map<string, number>();
  for (const text of corpusTexts()) {
    for (const [word] of text.toLowerCase().matchAll(/[a-z]{2,}/g))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([word]) => word)
    .slice(0, size);
}

function inventedWords(known: Set<string>, count: number): string[] {
  const random = randomFrom(7);
  const letter = (letters: string) => letters[Math.floor(random() * letters.length)]!;
  const words = new Set<string>();
  while (words.size < count) {
    const syllables = 2 + Math.floor(random() * 3);
    const word = Array.from({ length: syllables }, () => letter(consonants) + letter(vowels)).join('');
    if (!known.has(word)) words.add(word);
  }
  return [...words];
}
