import { passagesOf, type Passage } from './passages.ts';

/** Two memories by their places in the list, and the passages in which they resemble each other. */
export interface AlikePassages {
  readonly left: number;
  readonly right: number;
  readonly passages: readonly (readonly [Passage, Passage])[];
}

/**
 * Where .7 of the words of two passages are the same (2s / (n + m)), a passage of n words lacks in the other at most
 * n − .35 (n + m), which is most where the other is all shared, m = s: 1 − .35 / .65 of it.
 */
const mostMissing = 1 - 0.35 / 0.65;
/** A word that so many passages have says nothing of which are alike. */
const mostHolders = 200;

interface Placed {
  readonly memory: number;
  readonly passage: Passage;
}

/**
 * The passages of different texts that could be alike, found by their rarest words as a prefix filter does (Chaudhuri,
 * Ganti and Kaushik, "A primitive operator for similarity joins in data cleaning", 2006): not every pair is compared.
 */
export function alikePassages(texts: readonly string[]): AlikePassages[] {
  const placed = texts.flatMap((text, memory) =>
    passagesOf(text).map((passage): Placed => ({ memory, passage })),
  );
  const frequency = new Map<string, number>();
  for (const { passage } of placed)
    for (const key of new Set(passage.tokens.map((token) => token.key)))
      frequency.set(key, (frequency.get(key) ?? 0) + 1);
  const holders = new Map<string, Placed[]>();
  const pairs = new Map<string, { left: number; right: number; passages: (readonly [Passage, Passage])[] }>();
  for (const one of placed) {
    const rarest = [...new Set(one.passage.tokens.map((token) => token.key))].sort(
      (a, b) => frequency.get(a)! - frequency.get(b)! || (a < b ? -1 : 1),
    );
    const seen = new Set<Placed>();
    for (const key of rarest.slice(0, Math.floor(one.passage.tokens.length * mostMissing) + 1)) {
      const known = holders.get(key) ?? [];
      if (known.length >= mostHolders) continue;
      for (const other of known) {
        if (other.memory === one.memory || seen.has(other)) continue;
        seen.add(other);
        const id = `${other.memory} ${one.memory}`;
        const pair = pairs.get(id) ?? { left: other.memory, right: one.memory, passages: [] };
        pair.passages.push([other.passage, one.passage]);
        pairs.set(id, pair);
      }
      known.push(one);
      holders.set(key, known);
    }
  }
  return [...pairs.values()];
}
