/** A piece of a summary: its words, or a mark that names a source. */
export type Piece = { readonly text: string } | { readonly mark: number };

/** Cuts a summary at its marks such as `[2]`, which count its sources from 1. Other brackets are text. */
export function piecesOf(content: string, sources: number): Piece[] {
  return content.split(/(\[\d+\])/).flatMap((part): Piece[] => {
    const mark = /^\[(\d+)\]$/.exec(part);
    const number = Number(mark?.[1]);
    if (mark && number >= 1 && number <= sources) return [{ mark: number }];
    return part === '' ? [] : [{ text: part }];
  });
}
