import type { ShortText } from './short-texts.ts';

/**
 * The largest share of a text's n tokens that can be missing in a similar one of m tokens. Similar means that the s shared
 * tokens satisfy 2s / (n + m) ≥ 0.7, so at most n − 0.35 (n + m) are missing. This is largest for m = s: (1 − 0.35 / 0.65) n.
 */
const maxMissingShare = 1 - 0.35 / 0.65;

/**
 * Index pairs of texts that may be similar, the smaller index first. A prefix filter on the rarest words avoids comparing
 * every pair (Chaudhuri, Ganti and Kaushik, "A primitive operator for similarity joins in data cleaning", 2006). Undefined
 * entries are skipped.
 */
export function similarPairs(
  texts: readonly (ShortText | undefined)[],
): (readonly [left: number, right: number])[] {
  const keys = texts.map((text) => [...new Set(text?.tokens.map(({ key }) => key))]);
  const frequency = new Map<string, number>();
  for (const key of keys.flat()) frequency.set(key, (frequency.get(key) ?? 0) + 1);
  const holders = new Map<string, number[]>();
  return keys.flatMap((distinct, right) => {
    const rarest = distinct.sort((a, b) => frequency.get(a)! - frequency.get(b)! || (a < b ? -1 : 1));
    const prefix = rarest.slice(0, Math.floor((texts[right]?.tokens.length ?? 0) * maxMissingShare) + 1);
    const similar = new Set(prefix.flatMap((key) => holders.get(key) ?? []));
    for (const key of prefix) holders.set(key, [...(holders.get(key) ?? []), right]);
    return [...similar].sort((a, b) => a - b).map((left) => [left, right] as const);
  });
}
