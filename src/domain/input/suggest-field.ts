import { editDistance } from './edit-distance.ts';
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
