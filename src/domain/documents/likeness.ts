import { wordSequence } from '../text/tokens.ts';

/** Words of a text and how often each occurs. */
export interface WordBag {
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
}

export function wordBag(text: string): WordBag {
  const counts = new Map<string, number>();
  const words = wordSequence(text);
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { counts, total: words.length };
}

/** Words that two texts share, as a share of the words of the longer one; 0..1. */
export function likeness(one: WordBag, other: WordBag): number {
  const longer = Math.max(one.total, other.total);
  if (longer === 0) return 0;
  const [few, many] =
    one.counts.size <= other.counts.size ? [one.counts, other.counts] : [other.counts, one.counts];
  let shared = 0;
  for (const [word, count] of few) shared += Math.min(count, many.get(word) ?? 0);
  return shared / longer;
}

/** Two texts by their indexes in the lists that were compared. */
export interface Pair {
  readonly known: number;
  readonly next: number;
  readonly likeness: number;
}

/** Up to this many pairs, each is compared. */
const maxPairs = 4_096;
/** A word of more texts than this does not lead to a comparison. */
const maxTextsOfWord = 12;
/** Texts that a text is compared with at most. */
const maxCandidates = 12;

/**
 * Pairs of at least the given likeness, the best first; equal ones in the order of the lists. Of long lists, each text is compared
 * with the dozen that share most of its rare words and with the one at its own place.
 */
export function likePairs(known: readonly WordBag[], next: readonly WordBag[], min: number): Pair[] {
  const candidatesOf =
    known.length * next.length <= maxPairs ? () => known.keys() : candidateFinder(known, next.length);
  const pairs: Pair[] = [];
  for (const [at, bag] of next.entries())
    for (const candidate of candidatesOf(bag, at)) {
      const score = likeness(known[candidate]!, bag);
      if (score >= min) pairs.push({ known: candidate, next: at, likeness: score });
    }
  return pairs.sort(
    (one, other) => other.likeness - one.likeness || one.next - other.next || one.known - other.known,
  );
}

function candidateFinder(known: readonly WordBag[], places: number) {
  const textsOf = new Map<string, number[]>();
  for (const [at, { counts }] of known.entries())
    for (const word of counts.keys()) {
      const texts = textsOf.get(word);
      if (!texts) textsOf.set(word, [at]);
      // One more than is used tells that the word is frequent.
      else if (texts.length <= maxTextsOfWord) texts.push(at);
    }
  return ({ counts }: WordBag, place: number): Iterable<number> => {
    const votes = new Map<number, number>();
    for (const word of counts.keys()) {
      const texts = textsOf.get(word) ?? [];
      if (texts.length <= maxTextsOfWord) for (const at of texts) votes.set(at, (votes.get(at) ?? 0) + 1);
    }
    const best = [...votes].sort(([one, a], [other, b]) => b - a || one - other).slice(0, maxCandidates);
    const samePlace = Math.min(known.length - 1, Math.floor((place * known.length) / places));
    return new Set([...best.map(([at]) => at), samePlace]);
  };
}
