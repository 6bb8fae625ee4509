/**
 * Fewest insertions, deletions, substitutions and swaps of neighbouring letters that turn `a` into `b`, in UTF-16 units
 * (optimal string alignment). Takes time and memory in proportion to the product of the lengths: use it for short names.
 */
export function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          rows[row - 1]![column]! + 1,
          current[column - 1]! + 1,
          rows[row - 1]![column - 1]! + (isSame ? 0 : 1),
          isSwapped ? rows[row - 2]![column - 2]! + 1 : Infinity,
        ),
      );
    }
    rows.push(current);
  }
  return rows[a.length]![b.length]!;
}
