import { precedence } from '../../domain/layers.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import { nearDuplicate, shingles, spelledShingles, type Shingles } from '../../domain/text/shingles.ts';

interface Scored {
  readonly memory: MemoryView;
  readonly score: number;
}

/** Of memories that are looked at again, as the answer to a complex question is put together step by step. */
const known = new WeakMap<MemoryView, Shingles>();

/**
 * Drops what says the same as a memory of a more specific layer. Within one layer nothing is dropped: there the same
 * text twice is the caller's own doing. What scores less than `passing` will not be shown, and stands for nothing that is.
 */
export function dropNearDuplicates<Item extends Scored>(items: readonly Item[], passing = 0): Item[] {
  const bySpecificity = [...items].sort(
    (left, right) =>
      precedence(left.memory.layer) - precedence(right.memory.layer) || right.score - left.score,
  );
  const kept = new Set<Item>();
  const [shown, cut] = [new Set<Item>(), new Set<Item>()];
  for (const item of bySpecificity) {
    const others = item.score >= passing ? shown : cut;
    if (repeatsOne(others, item.memory)) continue;
    others.add(item);
    kept.add(item);
  }
  return items.filter((item) => kept.has(item));
}

/** Whether one of the more specific layers says the same. */
function repeatsOne(kept: Iterable<Scored>, memory: MemoryView): boolean {
  for (const { memory: other } of kept)
    if (other.layer !== memory.layer && sayTheSame(other, memory)) return true;
  return false;
}

/** By their hashes first, which is nearly always all; a text that was made to have another one's must not hide it. */
function sayTheSame(one: MemoryView, other: MemoryView): boolean {
  return (
    nearDuplicate(shinglesOf(one), shinglesOf(other)) &&
    nearDuplicate(spelledShingles(one.content), spelledShingles(other.content))
  );
}

function shinglesOf(memory: MemoryView): Shingles {
  let own = known.get(memory);
  if (!own) known.set(memory, (own = shingles(memory.content)));
  return own;
}
