import type { Passage } from './passages.ts';

/**
 * Where .7 of the words of two passages are the same (2s / (n + m)), a passage of n words lacks in the other at most
 * n − .35 (n + m), which is most where the other is all shared, m = s: 1 − .35 / .65 of it.
 */
const mostMissing = 1 - 0.35 / 0.65;

/**
 * The places of passages that could be alike, two by two, the lesser first, found by their rarest words as a prefix filter
 * does (Chaudhuri, Ganti and Kaushik, "A primitive operator for similarity joins in data cleaning", 2006): not every pair is
 * compared. What is no passage is undefined.
 */
export function similarPassagePairs(
  passages: readonly (Passage | undefined)[],
): (readonly [left: number, right: number])[] {
  const keys = passages.map((passage) => [...new Set(passage?.tokens.map(({ key }) => key))]);
  const frequency = new Map<string, number>();
  for (const key of keys.flat()) frequency.set(key, (frequency.get(key) ?? 0) + 1);
  const holders = new Map<string, number[]>();
  return keys.flatMap((own, right) => {
    const rarest = own.sort((a, b) => frequency.get(a)! - frequency.get(b)! || (a < b ? -1 : 1));
    const prefix = rarest.slice(0, Math.floor((passages[right]?.tokens.length ?? 0) * mostMissing) + 1);
    const alike = new Set(prefix.flatMap((key) => holders.get(key) ?? []));
    for (const key of prefix) holders.set(key, [...(holders.get(key) ?? []), right]);
    return [...alike].sort((a, b) => a - b).map((left) => [left, right] as const);
  });
}
