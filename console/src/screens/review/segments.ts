import type { DiffPart } from '../../ui/word-diff.ts';

/** A part of a text, and whether the other text lacks its words at this place. */
export interface Segment {
  readonly text: string;
  readonly differs: boolean;
}

/** One of two compared texts, with its differing words marked. Spaces and signs between two of them are marked, too. */
export function sideOf(parts: readonly DiffPart[], side: 'before' | 'after'): Segment[] {
  const own = parts.filter(({ kind }) => kind !== (side === 'before' ? 'added' : 'removed'));
  const differsAt = (index: number): boolean => own[index] !== undefined && own[index].kind !== 'same';
  const segments: Segment[] = [];
  for (const [index, { text }] of own.entries()) {
    const isBetween = differsAt(index - 1) && differsAt(index + 1) && !/[\p{L}\p{N}]/u.test(text);
    const differs = differsAt(index) || isBetween;
    const last = segments.at(-1);
    if (last?.differs === differs) segments[segments.length - 1] = { text: last.text + text, differs };
    else segments.push({ text, differs });
  }
  return segments;
}

/** The beginning of a text in segments, at most this many characters. */
export function beginningOf(segments: readonly Segment[], characters: number): Segment[] {
  const shown: Segment[] = [];
  let left = characters;
  for (const { text, differs } of segments) {
    if (left <= 0) break;
    shown.push({ text: text.slice(0, left), differs });
    left -= text.length;
  }
  return shown;
}
