import { completed, type Steps } from '../steps.ts';
import { piecesOf } from './pieces.ts';
import { wordSequence } from './tokens.ts';

/** Jaccard similarity from which two texts count as near-duplicates. */
export const NEAR_DUPLICATE = 0.95;

const WIDTH = 3;

/** The distinct word 3-shingles of a text. */
export type Shingles<Shingle = number> = ReadonlySet<Shingle>;

/**
 * The word 3-shingles of a text as 32-bit hashes. Words are folded (`words`), punctuation and white space are dropped; in
 * scripts without spaces each character is a word. A text of one or two words has one shingle of all its words; a text without
 * words has one shingle of its characters in lower case. Never empty. Linear in the length of the text.
 * Two shingles collide with a probability of 2⁻³², and collisions can be constructed on purpose.
 * Source: Broder, "On the resemblance and containment of documents", 1997.
 */
export function shingles(text: string): Shingles {
  return completed(shingleSteps(text));
}

/** The same in steps, for a text of a megabyte. */
export function shingleSteps(text: string): Steps<Shingles> {
  return shinglesBy(text, hashOf, (first, second, third) => mix(mix(mix(OFFSET, first), second), third));
}

/** The same shingles as strings, for comparisons that must not depend on hashes. Several times slower. */
export function spelledShingles(text: string): Shingles<string> {
  return completed(
    shinglesBy(
      text,
      (word) => word,
      (...spelled) => spelled.join(' '),
    ),
  );
}

function* shinglesBy<Shingle>(
  text: string,
  of: (word: string) => Shingle,
  join: (first: Shingle, second: Shingle, third: Shingle) => Shingle,
): Steps<Shingles<Shingle>> {
  const first: string[] = [];
  let open: Shingle[] = [];
  const set = new Set<Shingle>();
  for (const piece of piecesOf(text)) {
    const sequence = wordSequence(piece);
    if (first.length < WIDTH) first.push(...sequence.slice(0, WIDTH));
    const words = [...open, ...sequence.map((word) => of(word))];
    for (let i = WIDTH - 1; i < words.length; i++) set.add(join(words[i - 2]!, words[i - 1]!, words[i]!));
    open = words.slice(1 - WIDTH);
    yield;
  }
  if (first.length === 0) return new Set([of(text.trim().toLowerCase())]);
  return first.length < WIDTH ? new Set([of(first.join(' '))]) : set;
}

/** FNV-1a over UTF-16 units. Source: Fowler, Noll, Vo, "The FNV Non-Cryptographic Hash Algorithm" (RFC 9923), 32 bits. */
function hashOf(text: string): number {
  let hash = OFFSET;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), PRIME);
  return hash;
}

/** Combines two hashes; the order matters. Shifts the high bits down, because a multiplication only carries upwards. */
function mix(hash: number, next: number): number {
  const mixed = Math.imul(hash ^ next, PRIME);
  return Math.imul(mixed ^ (mixed >>> 15), PRIME);
}

const OFFSET = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

/** Shorter texts are phrases that many texts contain by chance. */
const QUOTABLE_WORDS = 5;

/** The shingles of a text, or undefined if it is too short to be recognized as a quotation. */
export function quotable(text: string): Shingles | undefined {
  const own = shingles(text);
  return own.size > QUOTABLE_WORDS - WIDTH ? own : undefined;
}

/** Share of the shingles of `part` that are in `whole`, 0..1. Source: Broder 1997, as above. */
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
 * Whether the Jaccard similarity is at least 0.95. Stops early: immediately if the sizes rule it out, else after at most about
 * a twentieth of the smaller set is missing in the larger one.
 */
export function nearDuplicate<Shingle>(a: Shingles<Shingle>, b: Shingles<Shingle>): boolean {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  // shared / (small + large − shared) ≥ t  ⇔  shared ≥ t (small + large) / (1 + t); the margin absorbs rounding.
  const needed = (NEAR_DUPLICATE * (small.size + large.size)) / (1 + NEAR_DUPLICATE) - 1e-9;
  let allowedMissing = small.size - needed;
  if (allowedMissing < 0) return false;
  for (const shingle of small) {
    if (!large.has(shingle) && --allowedMissing < 0) return false;
  }
  return true;
}
