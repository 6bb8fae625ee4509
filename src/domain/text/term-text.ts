import { forEachTermCount } from './term-counts-json.ts';

/** More occurrences hardly change the weight of a term. */
const MOST_REPETITIONS = 32;

/**
 * The terms of a text as a text, for an engine that indexes texts: each as often as it occurs, in the order of their code points. So
 * the engine treats all spellings as one word that `termCounts` treats as one term. `counts` is the JSON of the term counts. The SQL
 * function `read.term_text` returns the same.
 */
export function termText(counts: string): string {
  const terms: [term: string, count: number][] = [];
  forEachTermCount(counts, (term, count) => terms.push([term, count]));
  return terms
    .sort(([left], [right]) => byCodePoints(left, right))
    .map(([term, count]) => `${term} `.repeat(Math.min(count, MOST_REPETITIONS)))
    .join('');
}

/** The order of the collation "C", which differs from that of UTF-16 where characters have two units. */
function byCodePoints(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length);
  for (let at = 0; at < shorter; at++) {
    const [one, other] = [left.charCodeAt(at), right.charCodeAt(at)];
    if (one !== other) return rank(one) - rank(other);
  }
  return left.length - right.length;
}

/** Moves surrogates behind all other units. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}
