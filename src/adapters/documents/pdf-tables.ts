import { gapsOf, lineOf, median, type Gap, type Line } from './pdf-lines.ts';

/** Lines whose runs stand in columns. */
export interface Grid {
  readonly lines: readonly Line[];
  /** Free space between the columns. */
  readonly separators: readonly Gap[];
}

/** The edges of a column of text. */
export interface Column {
  readonly left: number;
  readonly right: number;
}

export type Part =
  | {
      readonly kind: 'lines';
      readonly lines: readonly Line[];
      /** The column of each line. */
      readonly columns: readonly Column[];
    }
  | ({ readonly kind: 'grid' } & Grid);

/** Gaps between cells, as shares of the size of the letters. The first must be clear, the others may be narrow. */
const clearGap = 0.8;
const narrowGap = 0.55;
const minSeparator = 0.25;

/** Parts of a column of lines: tables and what is between them. `before` is the table that the page before ended with. */
export function partsOf(lines: readonly Line[], before?: Grid): Part[] {
  const parts: Part[] = [];
  const column: Column = {
    left: Math.min(...lines.map((line) => line.left)),
    right: Math.max(...lines.map((line) => line.right)),
  };
  let text: Line[] = [];
  const endText = () => {
    if (text.length > 0) parts.push({ kind: 'lines', lines: text, columns: text.map(() => column) });
    text = [];
  };
  let at = before ? continued(lines, before) : 0;
  if (before && at > 0)
    parts.push({ kind: 'grid', lines: lines.slice(0, at), separators: before.separators });
  while (at < lines.length) {
    const grid = gridAt(lines, at);
    if (!grid) {
      text.push(lines[at]!);
      at++;
      continue;
    }
    endText();
    parts.push({ kind: 'grid', ...grid });
    at += grid.lines.length;
  }
  endText();
  return parts;
}

/** Number of lines at the top of a page that go on with a table. */
function continued(lines: readonly Line[], { lines: before, separators }: Grid): number {
  const steps = before.slice(1).map((line, index) => line.bottom - before[index]!.bottom);
  const maxStep = Math.max(...steps, before[0]!.size * 1.5) * 1.3;
  let count = 0;
  for (const [index, line] of lines.entries()) {
    const isNear = index === 0 || line.bottom - lines[index - 1]!.bottom <= maxStep;
    const fits = isNear && isSameSize(line, before[0]!) && intersect(separators, line) !== undefined;
    if (!fits || (index === 0 && cellCount(line, separators) < 2)) break;
    count++;
  }
  while (count > 0 && cellCount(lines[count - 1]!, separators) < 2 && count < lines.length) count--;
  return count;
}

function gridAt(lines: readonly Line[], start: number): Grid | undefined {
  const first = lines[start]!;
  let separators: readonly Gap[] = gapsOf(first, first.size * clearGap);
  if (separators.length === 0) return undefined;
  const steps: number[] = [];
  let end = start + 1;
  for (; end < lines.length; end++) {
    const line = lines[end]!;
    const step = line.bottom - lines[end - 1]!.bottom;
    const usual = Math.max(first.size, median(steps));
    if (step < 0 || step > (steps.length < 2 ? 3.2 * first.size : 1.9 * usual) || !isSameSize(line, first))
      break;
    const narrowed = intersect(separators, line);
    if (!narrowed) {
      const next = lines[end + 1];
      const isLabel =
        steps.length >= 2 &&
        gapsOf(line, line.size * clearGap).length === 0 &&
        line.text.length < 60 &&
        next &&
        next.bottom - line.bottom <= 1.3 * usual &&
        cellCount(next, separators) >= 2 &&
        intersect(separators, next);
      if (!isLabel || step > 1.3 * usual) break;
    } else separators = narrowed;
    steps.push(step);
  }
  const found = withoutTail(lines.slice(start, end), separators, median(steps));
  return isTable(found, separators) ? { lines: found, separators } : undefined;
}

/** A lone line below a table that stands further away than its rows is text. */
function withoutTail(lines: readonly Line[], separators: readonly Gap[], step: number): Line[] {
  const left = [...lines];
  while (left.length > 1) {
    const [previous, last] = left.slice(-2) as [Line, Line];
    if (cellCount(last, separators) > 1 || last.bottom - previous.bottom <= step * 1.15) break;
    left.pop();
  }
  return left;
}

function isSameSize(line: Line, other: Line): boolean {
  return line.size < other.size * 1.25 && line.size > other.size * 0.75;
}

/** What is left of the separators beside the runs of a line; undefined if the line runs over one of them. */
function intersect(separators: readonly Gap[], line: Line): Gap[] | undefined {
  const free = [
    { left: -Infinity, right: line.left },
    ...gapsOf(line, line.size * narrowGap),
    { left: line.right, right: Infinity },
  ];
  const result: Gap[] = [];
  for (const separator of separators) {
    const parts = free
      .map((gap) => ({
        left: Math.max(gap.left, separator.left),
        right: Math.min(gap.right, separator.right),
      }))
      .filter(({ left, right }) => right - left >= line.size * minSeparator);
    if (parts.length === 0) return undefined;
    result.push(...parts);
  }
  return result;
}

/** Enough rows with several cells, whose edges or middles are in line. */
function isTable(lines: readonly Line[], separators: readonly Gap[]): boolean {
  const rows = lines.filter((line) => cellCount(line, separators) > 1);
  if (rows.length < (separators.length > 1 ? 2 : 3)) return false;
  return separators.every((_, index) => {
    const cells = rows.flatMap((line) => {
      const cell = cellsOf(line, separators)[index + 1];
      return cell ? [cell] : [];
    });
    const edges = [
      (cell: Line) => cell.left,
      (cell: Line) => cell.right,
      (cell: Line) => (cell.left + cell.right) / 2,
    ];
    return edges.some((edge) => {
      const middle = median(cells.map(edge));
      return cells.filter((cell) => Math.abs(edge(cell) - middle) <= 3).length >= 0.6 * cells.length;
    });
  });
}

/** The runs of a line by the columns they stand in. */
export function cellsOf(line: Line, separators: readonly Gap[]): (Line | undefined)[] {
  const bounds = separators.map(({ left, right }) => (left + right) / 2);
  const columns = Array.from({ length: bounds.length + 1 }, (): Line['boxes'][number][] => []);
  for (const box of line.boxes) {
    const middle = (box.left + box.right) / 2;
    const after = bounds.findIndex((bound) => middle < bound);
    columns[after < 0 ? bounds.length : after]!.push(box);
  }
  return columns.map((boxes) => (boxes.length > 0 ? lineOf(boxes) : undefined));
}

function cellCount(line: Line, separators: readonly Gap[]): number {
  return cellsOf(line, separators).filter((cell) => cell !== undefined).length;
}
