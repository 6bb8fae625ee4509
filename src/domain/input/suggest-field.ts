import { isSynonym, plainName } from './field-synonyms.ts';

/** No suggestion is made for longer names. */
const longestName = 64;

/** Fields that an unknown name may stand for. */
export interface KnownFields {
  /** Fields of the same object. */
  readonly here: readonly string[];
  /** Paths of fields in another object of the same input, such as `scope.team`. */
  readonly elsewhere?: readonly string[];
}

/**
 * The field that a caller probably means by a name that is unknown where it stands: another spelling (`top_k`), a synonym
 * (`limit` for `topK`), a field of another object (`team` for `scope.team`), or a misspelling (`contnet`). Undefined if
 * nothing is close.
 */
export function suggestField(name: string, { here, elsewhere = [] }: KnownFields): string | undefined {
  if (name === '' || name.length > longestName) return undefined;
  const sameSpelling = (field: string) => plainName(leafOf(field)) === plainName(name);
  const synonym = (field: string) => isSynonym(name, leafOf(field));
  return (
    here.find(sameSpelling) ??
    here.find(synonym) ??
    elsewhere.find(sameSpelling) ??
    elsewhere.find(synonym) ??
    nearest(name, here)
  );
}

function leafOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

function nearest(name: string, fields: readonly string[]): string | undefined {
  const near = fields
    .map((field) => ({ field, distance: editDistance(name.toLowerCase(), field.toLowerCase()) }))
    .filter(({ field, distance }) => distance <= mostEdits(Math.min(name.length, field.length)));
  return near.sort((a, b) => a.distance - b.distance)[0]?.field;
}

/** Short names are close to many others. */
function mostEdits(length: number): number {
  return length <= 2 ? 0 : length <= 5 ? 1 : 2;
}

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
