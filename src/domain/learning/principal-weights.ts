/** No principal counts for more than this share of a policy's evidence if there are enough others. */
const principalLimit = 0.25;

/**
 * The most decisions that count for one principal, such that no principal has more than its share of all that count. With fewer than
 * four principals the shares are equal: a tenant with a single principal learns from it alone.
 *
 * This is the greatest L, at most the greatest count, with L ≤ share · Σ min(count, L); found by cutting the greatest counts in turn.
 *
 * @param counts Decisions of each principal, above 0.
 */
export function principalLevel(counts: readonly number[]): number {
  if (counts.length === 0) return 0;
  const share = Math.max(principalLimit, 1 / counts.length);
  const ordered = [...counts].sort((a, b) => b - a);
  let rest = ordered.reduce((sum, count) => sum + count, 0);
  // If the `cut` greatest counts are cut to L, then L = share · (cut · L + rest).
  for (let cut = 0; cut < ordered.length && cut * share < 1; cut += 1) {
    const level = (share * rest) / (1 - cut * share);
    if (ordered[cut]! <= level) return ordered[0]! <= level ? ordered[0]! : level;
    rest -= ordered[cut]!;
  }
  // As many principals are cut as there are shares, so all of them are cut to the smallest of their counts.
  return ordered[Math.min(ordered.length, Math.round(1 / share)) - 1]!;
}

/** Number of occurrences by key. */
export function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}
