import { wordSequence } from './tokens.ts';

/** Jaccard similarity from which two texts count as the same. */
export const NEAR_DUPLICATE = 0.95;

const WIDTH = 3;

/** The distinct word 3-shingles of a text. */
export type Shingles<Shingle = number> = ReadonlySet<Shingle>;

/**
 * The word 3-shingles of the normalised text: folded words (`words`), punctuation and white space dropped; in scripts
 * without spaces each character is a word. A text of one or two words is one shingle of all its words; one
 * without any word (only signs) is one shingle of its folded characters. Never empty. Linear in the text. Each stands by a hash
 * of 32 bits: one in four thousand million is taken for another, and whoever wants to can make one that is.
 * Source: Broder, "On the resemblance and containment of documents", 1997.
 */
export function shingles(text: string): Shingles {
  return shinglesBy(text, hashOf, (first, second, third) => mix(mix(mix(OFFSET, first), second), third));
}

/** The same by their words, for what must not rest on hashes: it takes several times as long. */
export function spelledShingles(text: string): Shingles<string> {
  return shinglesBy(
    text,
    (word) => word,
    (...spelled) => spelled.join(' '),
  );
}

function shinglesBy<Shingle>(
  text: string,
  of: (word: string) => Shingle,
  join: (first: Shingle, second: Shingle, third: Shingle) => Shingle,
): Shingles<Shingle> {
  const sequence = wordSequence(text);
  if (sequence.length === 0) return new Set([of(text.trim().toLowerCase())]);
  if (sequence.length < WIDTH) return new Set([of(sequence.join(' '))]);
  const words = sequence.map((word) => of(word));
  const set = new Set<Shingle>();
  for (let i = WIDTH - 1; i < words.length; i++) set.add(join(words[i - 2]!, words[i - 1]!, words[i]!));
  return set;
}

/** FNV-1a over UTF-16 units. Source: Fowler, Noll, Vo, "The FNV Non-Cryptographic Hash Algorithm" (RFC 9923), 32 bits. */
function hashOf(text: string): number {
  let hash = OFFSET;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), PRIME);
  return hash;
}

/** Takes a hash into another one; the order counts. The bits that a multiplication leaves alone are turned down first. */
function mix(hash: number, next: number): number {
  const mixed = Math.imul(hash ^ next, PRIME);
  return Math.imul(mixed ^ (mixed >>> 15), PRIME);
}

const OFFSET = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

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
export function jaccard<Shingle>(a: Shingles<Shingle>, b: Shingles<Shingle>): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  let shared = 0;
  for (const shingle of small) if (large.has(shingle)) shared++;
  return shared / (a.size + b.size - shared);
}

/**
 * Whether the Jaccard similarity is at least 0.95. Sizes that rule it out are seen at once, and sets that share
 * little after a twentieth of the smaller one.
 */
export function nearDuplicate<Shingle>(a: Shingles<Shingle>, b: Shingles<Shingle>): boolean {
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
