import { joinedRepresentations, REPRESENTATION_MARK } from '../../domain/memory/searched-text.ts';
import { representationKinds, type Representations } from '../../domain/memory/content.ts';
import { textHash, textHashSql } from '../../support/text-hash.ts';

/**
 * Passages of representations are in the table of the passages of contents. Their numbers are negative: `n` is -1 for the last one. In
 * place of the hash of the content they name the event that set the representations, and the hash of these: `r12.47DEQpj8…`.
 */
export function representationsKey(representations: Representations, revision: number): string {
  return `r${revision}.${representationsHash(representations)}`;
}

export function representationsHash(representations: Representations): string {
  return textHash(joinedRepresentations(representations));
}

/** SQL for the revision in a `representationsKey`. */
export function revisionInKey(key: string): string {
  return `substr(split_part(${key}, '.', 1), 2)::integer`;
}

/** SQL for whether a row `p` of the table of passages is one of the representations with this hash. */
export function areRepresentations(p: string, hash: string): string {
  return `(${p}.n < 0 and split_part(${p}.text_hash, '.', 2) = ${hash})`;
}

/** SQL for `joinedRepresentations` of the value of a memory. */
function representationsSql(value: string): string {
  const mark = `chr(${REPRESENTATION_MARK.codePointAt(0)})`;
  const parts = representationKinds.map((kind) => {
    const text = `replace(${value}->'representations'->>'${kind}', ${mark}, chr(65533))`;
    return `coalesce(${mark} || '${kind}' || chr(10) || ${text}, '')`;
  });
  return `(${parts.join(' || ')})`;
}

/** SQL for `representationsHash` of the value of a memory. */
export function representationsHashSql(value: string): string {
  return textHashSql(representationsSql(value));
}

/** SQL for `joinedText` of the value of a memory. Nearly none has representations. */
export function joinedTextSql(value: string): string {
  return `(replace(${value}->>'content', chr(${REPRESENTATION_MARK.codePointAt(0)}), chr(65533))
    || case when coalesce(${value}->'representations', '{}') = '{}' then '' else ${representationsSql(value)} end)`;
}

/**
 * The number of a passage in its memory, from 0 (`searchedPassageSteps`), by its number in the table. `count` is that of all passages of the
 * memory, of which those of the representations are the last.
 */
export function placeInMemory(n: number, count: number): number {
  return n < 0 ? count + n : n;
}
