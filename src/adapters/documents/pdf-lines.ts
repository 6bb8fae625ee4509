import type { Box } from './pdf-boxes.ts';
import { joinWords } from './pdf-words.ts';

/** Runs of text on one baseline, from left to right. Size and font are those of most of its characters. */
export interface Line extends Omit<Box, 'isRightToLeft' | 'isArtifact' | 'hasSpaceBefore'> {
  readonly boxes: readonly Box[];
}

/** A gap between two runs of text. */
export interface Gap {
  readonly left: number;
  readonly right: number;
}

/** How far apart baselines of one line may be, as a share of its size: raised and lowered letters belong to it. */
const maxShift = 0.45;
/** Numbers and bullets of lists stand apart from their text, but are no column of their own. */
const listMarker = /^(?:[•–—\-*·◦▪■●○‣➢✓]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)])$/i;

/** Groups boxes by their baselines, from top to bottom. */
export function linesOf(boxes: readonly Box[]): Line[] {
  const sorted = [...boxes].sort((a, b) => a.bottom - b.bottom || a.left - b.left);
  const groups: { boxes: Box[]; bottom: number; size: number }[] = [];
  for (const box of sorted) {
    const group = groups.slice(-3).findLast((candidate) => isOnLine(box, candidate));
    if (!group) {
      groups.push({ boxes: [box], bottom: box.bottom, size: box.size });
      continue;
    }
    group.boxes.push(box);
    // The larger letters set the baseline.
    if (box.size > group.size * 1.15) Object.assign(group, { bottom: box.bottom, size: box.size });
  }
  return groups.map((group) => lineOf(group.boxes)).sort((a, b) => a.bottom - b.bottom);
}

function isOnLine(
  box: Box,
  line: { readonly bottom: number; readonly size: number; readonly boxes: readonly Box[] },
): boolean {
  const distance = Math.abs(box.bottom - line.bottom);
  const larger = Math.max(box.size, line.size);
  if (distance <= larger * 0.2) return true;
  // Only smaller letters are raised or lowered, and they stand close to a letter of the line.
  const isSmall = Math.min(box.size, line.size) < larger * 0.85;
  return (
    isSmall &&
    distance <= larger * maxShift &&
    line.boxes.some((other) => box.left - other.right < larger * 0.5 && other.left - box.right < larger * 0.5)
  );
}

export function lineOf(boxes: readonly Box[]): Line {
  const isRightToLeft = boxes.filter((box) => box.isRightToLeft).length > boxes.length / 2;
  const sorted = [...boxes].sort((a, b) => a.left - b.left);
  const main = mainOf(boxes);
  return {
    boxes: sorted,
    text: joinBoxes(isRightToLeft ? sorted.toReversed() : sorted),
    left: sorted[0]!.left,
    right: Math.max(...sorted.map(({ right }) => right)),
    bottom: main.bottom,
    size: main.size,
    font: main.font,
    isMonospaced: sorted.every((box) => box.isMonospaced),
  };
}

/** The box that stands for most characters of the same size and font. */
function mainOf(boxes: readonly Box[]): Box {
  const lengths = new Map<string, number>();
  const keyOf = (box: Box) => `${box.font} ${box.size.toFixed(1)}`;
  for (const box of boxes) lengths.set(keyOf(box), (lengths.get(keyOf(box)) ?? 0) + box.text.length);
  return boxes.reduce((best, box) => (lengths.get(keyOf(box))! > lengths.get(keyOf(best))! ? box : best));
}

function joinBoxes(boxes: readonly Box[]): string {
  let text = '';
  let previous: Box | undefined;
  for (const box of boxes) {
    const gap = previous ? Math.max(box.left - previous.right, previous.left - box.right) : 0;
    const isApart = gap > 0.15 * box.size || (box.hasSpaceBefore && gap > -0.1 * box.size);
    text = previous && isApart ? joinWords(text, box.text) : text + box.text;
    previous = box;
  }
  return text.replaceAll(/(?:\.\s?){5,}/g, (dots) => `${dots.trimEnd()} `).trim();
}

/** Gaps of at least `width` between the runs of a line, without those behind the marker of a list. */
export function gapsOf(line: Line, width: number): Gap[] {
  const gaps: Gap[] = [];
  let right = line.boxes[0]!.right;
  for (const [index, box] of line.boxes.entries()) {
    if (index === 0) continue;
    const isMarker = index === 1 && listMarker.test(line.boxes[0]!.text);
    if (box.left - right >= width && !isMarker) gaps.push({ left: right, right: box.left });
    right = Math.max(right, box.right);
  }
  return gaps;
}

/** Middle value; 0 for none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}
