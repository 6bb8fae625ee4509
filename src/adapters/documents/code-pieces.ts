/** A part of source code: UTF-16 offsets, `end` exclusive. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  /** Names of what it declares, outermost first; absent for imports and loose statements. */
  readonly symbol?: readonly string[];
}

/** Up to this length a class stays whole, and loose statements that follow each other make up one part. */
export const MAX_WHOLE = 2000;

const closing = /^\s*(?:(?:end|#endif\b.*|<\?php|\?>|[})\];])\s*)*$/;

/**
 * Fills the gaps between declarations with parts of their own, so that nothing of the source is lost. `symbol` is that of what the
 * gaps belong to. Gaps of closing braces, `end` and `#endif` are left out.
 */
export function withGaps(
  source: string,
  { start, end, symbol }: Piece,
  declared: readonly Piece[],
): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = start;
  for (const piece of [...declared, { start: end, end }]) {
    const gap = { start: at, end: piece.start, ...(symbol && { symbol }) };
    if (/[\p{L}\p{N}]/u.test(source.slice(gap.start, gap.end).replace(closing, '')))
      pieces.push(...cutAtBlankLines(source, gap));
    if (piece.end > piece.start) pieces.push(piece);
    at = Math.max(at, piece.end);
  }
  return pieces;
}

/** Cuts what is too long at blank lines before lines without indentation, the parts as long as they may be. */
export function cutAtBlankLines(source: string, piece: Piece, maxLength = MAX_WHOLE): readonly Piece[] {
  if (piece.end - piece.start <= maxLength) return [piece];
  const text = source.slice(piece.start, piece.end);
  const cuts = [...text.matchAll(/\n[ \t]*\n(?=\S)/g)].map(({ index, 0: found }) => index + found.length);
  const pieces: Piece[] = [];
  let start = 0;
  for (const [which, cut] of [...cuts, text.length].entries()) {
    const next = cuts[which + 1] ?? text.length;
    if (cut < text.length && next - start <= maxLength) continue;
    if (cut > start) pieces.push({ ...piece, start: piece.start + start, end: piece.start + cut });
    start = cut;
  }
  return pieces;
}

/** The text of a part without the empty lines around it and without the indentation that all its lines have. */
export function dedented(source: string, { start, end }: Piece): string {
  const lineStart = source.lastIndexOf('\n', start - 1) + 1;
  const isIndented = /^[ \t]*$/.test(source.slice(lineStart, start));
  const lines = source
    .slice(isIndented ? lineStart : start, end)
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd()
    .split('\n');
  const indentations = lines
    .filter((line) => line.trim() !== '')
    .map((line) => /^[ \t]*/.exec(line)?.[0] ?? '');
  let [common = ''] = indentations;
  for (const each of indentations) while (!each.startsWith(common)) common = common.slice(0, -1);
  return lines.map((line) => line.slice(common.length)).join('\n');
}
