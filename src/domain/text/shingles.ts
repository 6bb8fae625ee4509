import { characters, words } from './tokens.ts';

/** Jaccard similarity from which two texts count as the same. */
export const NEAR_DUPLICATE = 0.95;

const WIDTH = 3;

/** The distinct word 3-shingles of a text. */
export type Shingles = ReadonlySet<string>;

/**
 * The word 3-shingles of the normalised text: folded words (`words`), punctuation and white space dropped; in scripts
 * without spaces each character is a word. A text of one or two words is one shingle of all its words; one
 * without any word (only signs) is one shingle of its folded characters. Never empty. Linear in the text.
 * Source: Broder, "On the resemblance and containment of documents", 1997.
 */
export function shingles(text: string): Shingles {
  const sequence = words(text).flatMap(characters);
  if (sequence.length === 0) return new Set([text.trim().toLowerCase()]);
  if (sequence.length < WIDTH) return new Set([sequence.join(' ')]);
  const set = new Set<string>();
  for (let i = WIDTH - 1; i < sequence.length; i++)
    set.add(`${sequence[i - 2]!} ${sequence[i - 1]!} ${sequence[i]!}`);
  return set;
}

/** Fewer words are a phrase that many texts hold by chance. */
const QUOTABLE_WORDS = 5;

/** The shingles of a text that is long enough to be quoted, else undefined. */
export function quotable(text: string): Shingles | undefined {
  const own = shingles(text);
  return own.size > QUOTABLE_WORDS - WIDTH ? own : undefined;
}

/** Share of `part` that stands in `whole`, 0..1. Source: Broder 1997, as above. */
export function containment(part: Shingles, whole: Shingles): number {
  let shared = 0;
  for (const shingle of part) if (whole.has(shingle)) shared++;
  return shared / part.size;
}

/** |a ∩ b| / |a ∪ b|, 0..1. */
export function jaccard(a: Shingles, b: Shingles): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  let shared = 0;
  for (const shingle of small) if (large.has(shingle)) shared++;
  return shared / (a.size + b.size - shared);
}

/**
 * Whether the Jaccard similarity is at least 0.95. Sizes that rule it out are seen at once, and sets that share
 * little after a twentieth of the smaller one.
 */
export function nearDuplicate(a: Shingles, b: Shingles): boolean {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  // shared / (small + large − shared) ≥ t  ⇔  shared ≥ t (small + large) / (1 + t); the margin absorbs rounding.
  const needed = (NEAR_DUPLICATE * (small.size + large.size)) / (1 + NEAR_DUPLICATE) - 1e-9;
  let missable = small.size - needed;
  if (missable < 0) return false;
  for (const shingle of small) {
    if (!large.has(shingle) && --missable < 0) return false;
  }
  return true;
}
