import { protect } from '../projection.ts';

/**
 * An array of vectors bound as parameters after `$last`, null for missing ones. As text a vector needs five times the space, and PostgreSQL in
 * WebAssembly takes .2 ms to parse it.
 */
export function vectorArray(vectors: readonly (Float32Array | undefined)[], last: number) {
  const bound: Float32Array[] = [];
  const elements = vectors.map((vector) => (vector ? `$${last + bound.push(vector)}` : 'null'));
  return { array: `array[${elements.join(', ')}]::vector[]`, bound };
}

/** A statement that creates a table of vectors with its indexes, unless there is one. */
export function createIfMissing(table: string, ...definitions: readonly string[]): string {
  return `do $$ begin
    if to_regclass('${table}') is not null then return; end if;
    ${[...definitions, ...protect(table)].join(';\n')};
  end $$`;
}
