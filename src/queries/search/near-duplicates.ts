import { precedence } from '../../domain/layers.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import { nearDuplicate, shingles, spelledShingles, type Shingles } from '../../domain/text/shingles.ts';

interface Scored {
  readonly memory: MemoryView;
  readonly score: number;
}

/**
 * Shingles by memory. They are kept because the same memories are compared repeatedly while the answer to a complex question is
 * assembled.
 */
const cache = new WeakMap<MemoryView, Shingles>();

/**
 * Drops memories that say the same as a memory of a more specific layer. Within one layer nothing is dropped: storing a text
 * twice there was the caller's decision. A memory that scores less than `finalThreshold` will not be in the answer, and replaces
 * none that will be.
 */
export function dropNearDuplicates<Item extends Scored>(items: readonly Item[], finalThreshold = 0): Item[] {
  const bySpecificity = [...items].sort(
    (left, right) =>
      precedence(left.memory.layer) - precedence(right.memory.layer) || right.score - left.score,
  );
  const kept = new Set<Item>();
  const [shown, cut] = [new Set<Item>(), new Set<Item>()];
  for (const item of bySpecificity) {
    const others = item.score >= finalThreshold ? shown : cut;
    if (isRepeated(others, item.memory)) continue;
    others.add(item);
    kept.add(item);
  }
  return items.filter((item) => kept.has(item));
}

/** Whether a kept memory of another layer, which is more specific, says the same. */
function isRepeated(kept: Iterable<Scored>, memory: MemoryView): boolean {
  for (const { memory: other } of kept)
    if (other.layer !== memory.layer && areNearDuplicates(other, memory)) return true;
  return false;
}

/**
 * Compares hashed shingles first, which nearly always decides. Then the words themselves, so that a text crafted to have the hashes of
 * another one cannot hide that one.
 */
function areNearDuplicates(one: MemoryView, other: MemoryView): boolean {
  return (
    nearDuplicate(shinglesOf(one), shinglesOf(other)) &&
    nearDuplicate(spelledShingles(one.content), spelledShingles(other.content))
  );
}

function shinglesOf(memory: MemoryView): Shingles {
  let own = cache.get(memory);
  if (!own) cache.set(memory, (own = shingles(memory.content)));
  return own;
}
