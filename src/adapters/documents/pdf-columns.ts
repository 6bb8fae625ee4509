import { linesOf, median, type Line } from './pdf-lines.ts';

/** Columns narrower than this share of the text are margins. */
const minShare = 0.22;
const minLines = 4;
/** Points between two columns. */
const minGutter = 6;

/** Lines in reading order, as parts that are each one column wide. */
export function columnsOf(lines: readonly Line[]): Line[][] {
  const gutter = gutterOf(lines);
  if (gutter === undefined) return lines.length > 0 ? [[...lines]] : [];
  const flows: Line[][] = [];
  let wide: Line[] = [];
  for (const band of bandsOf(lines, gutter)) {
    const [left, right] = band.isCrossing ? [[], []] : halvesOf(band.lines, gutter);
    if (!areColumns(left, right)) {
      wide.push(...band.lines);
      continue;
    }
    if (wide.length > 0) flows.push(wide);
    wide = [];
    flows.push(...columnsOf(left), ...columnsOf(right));
  }
  if (wide.length > 0) flows.push(wide);
  return flows;
}

/** Where the second column begins: the left edge that most lines share while no line runs over it. */
function gutterOf(lines: readonly Line[]): number | undefined {
  if (lines.length < minLines) return undefined;
  const left = Math.min(...lines.map((line) => line.left));
  const right = Math.max(...lines.map((line) => line.right));
  const counts = new Map<number, number>();
  for (const box of lines.flatMap(({ boxes }) => boxes)) {
    const share = (box.left - left) / (right - left);
    if (share < minShare || share > 1 - minShare) continue;
    const at = Math.round(box.left);
    counts.set(at, (counts.get(at) ?? 0) + 1);
  }
  const tried = [...counts].filter(([, count]) => count >= minLines).sort(([, a], [, b]) => b - a);
  let best: { readonly at: number; readonly lines: number } | undefined;
  for (const [edge] of tried.slice(0, 12)) {
    const at = edge - minGutter / 2;
    let inColumns = 0;
    for (const band of bandsOf(lines, at)) {
      const [before, after] = band.isCrossing ? [[], []] : halvesOf(band.lines, at);
      if (areColumns(before, after)) inColumns += Math.min(before.length, after.length);
    }
    if (inColumns > (best?.lines ?? 0)) best = { at, lines: inColumns };
  }
  return best?.at;
}

interface Band {
  readonly isCrossing: boolean;
  readonly lines: Line[];
}

function bandsOf(lines: readonly Line[], gutter: number): Band[] {
  const bands: Band[] = [];
  for (const line of lines) {
    const isCrossing = line.boxes.some(
      (box) => box.left < gutter - minGutter / 2 && box.right > gutter - minGutter / 2,
    );
    const last = bands.at(-1);
    if (last?.isCrossing === isCrossing) last.lines.push(line);
    else bands.push({ isCrossing, lines: [line] });
  }
  return bands;
}

function halvesOf(lines: readonly Line[], gutter: number): [Line[], Line[]] {
  const boxes = lines.flatMap((line) => line.boxes);
  return [
    linesOf(boxes.filter((box) => box.left < gutter)),
    linesOf(boxes.filter((box) => box.left >= gutter)),
  ];
}

/** Tells two columns of prose from two columns of a table. */
function areColumns(left: readonly Line[], right: readonly Line[]): boolean {
  if (left.length < minLines || right.length < minLines - 1) return false;
  const overlap =
    Math.min(left.at(-1)!.bottom, right.at(-1)!.bottom) - Math.max(left[0]!.bottom, right[0]!.bottom);
  return overlap > 0 && isProse(left) && isProse(right) && !breakTogether(left, right);
}

/** Most lines have several words and fill the width. */
function isProse(lines: readonly Line[]): boolean {
  const left = Math.min(...lines.map((line) => line.left));
  const width = Math.max(...lines.map((line) => line.right)) - left;
  const filling = lines.filter((line) => line.right - left > width * 0.7 && longestRun(line) > width * 0.3);
  return filling.length >= lines.length / 2 && median(lines.map(({ text }) => text.length)) >= 15;
}

/** Length of the longest part of a line without a gap that is wider than justified text has. */
function longestRun(line: Line): number {
  let longest = 0;
  let start = line.boxes[0]!.left;
  let right = start;
  for (const box of line.boxes) {
    if (box.left - right > line.size * 1.8) start = box.left;
    right = Math.max(right, box.right);
    longest = Math.max(longest, right - start);
  }
  return longest;
}

/** The rows of a table with long cells begin at the same height on both sides. */
function breakTogether(left: readonly Line[], right: readonly Line[]): boolean {
  const starts = (lines: readonly Line[]) => {
    const steps = lines.slice(1).map((line, index) => line.bottom - lines[index]!.bottom);
    const leading = median(steps.filter((step) => step > 0));
    return lines
      .slice(1)
      .filter((_, index) => steps[index]! > leading * 1.25)
      .map(({ bottom }) => bottom);
  };
  const [a, b] = [starts(left), starts(right)];
  const together = a.filter((bottom) => b.some((other) => Math.abs(other - bottom) < 1.5)).length;
  return together >= 2 && together >= 0.6 * Math.max(a.length, b.length);
}
