/** Where a result of one answer stands in the other. */
export type Move =
  | { readonly kind: 'same' }
  | { readonly kind: 'only' }
  /** It stands this many places nearer to the top here than in the other answer, or further from it. */
  | { readonly kind: 'up' | 'down'; readonly by: number };

/** Compares the results of an answer with those of another one. Each is a list of ids, best first. */
export function movesOf(here: readonly string[], there: readonly string[]): ReadonlyMap<string, Move> {
  const others = new Map(there.map((id, place) => [id, place]));
  return new Map(
    here.map((id, place): [string, Move] => {
      const other = others.get(id);
      if (other === undefined) return [id, { kind: 'only' }];
      if (other === place) return [id, { kind: 'same' }];
      return [id, { kind: other > place ? 'up' : 'down', by: Math.abs(other - place) }];
    }),
  );
}

/** The comparison in a sentence. */
export function comparedInWords(moves: ReadonlyMap<string, Move>, missing: number): string {
  const count = (...kinds: readonly Move['kind'][]) =>
    [...moves.values()].filter(({ kind }) => kinds.includes(kind)).length;
  const moved = count('up', 'down');
  const added = count('only');
  if (moved + added + missing === 0) return 'Both answers are the same.';
  return `${count('same')} in the same place, ${moved} moved, ${added} only here, ${missing} only in the other.`;
}
