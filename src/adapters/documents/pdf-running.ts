import type { PageBoxes } from './pdf-boxes.ts';
import { gapsOf, linesOf, type Line } from './pdf-lines.ts';

/** A page without what is printed on many pages, such as headers, footers and page numbers. */
export interface PageLines {
  readonly lines: readonly Line[];
  /** Whether there was more on the page than what was left out. */
  readonly hadText: boolean;
}

/** Share of the height at the top and at the bottom where running lines stand. */
const edge = 0.14;
/** Lines at either edge that are looked at. */
const maxRunning = 4;
const maxLength = 200;
/** Distance to the text, as a multiple of the size of the letters. */
const minGap = 1.6;

/** Finds the lines that stand at the same place on several pages, whatever the numbers in them. */
export function withoutRunningLines(pages: readonly PageBoxes[]): PageLines[] {
  const lines = pages.map((page) => linesOf(page.boxes));
  const candidates = pages.map((page, index) => edgeLines(lines[index]!, page.height));
  const pagesOf = new Map<string, Set<number>>();
  for (const [index, found] of candidates.entries()) {
    for (const line of found) {
      for (const key of keysOf(line)) pagesOf.set(key, (pagesOf.get(key) ?? new Set()).add(index));
    }
  }
  const needed = pages.length <= 4 ? 2 : 3;
  const isRunning = (line: Line) => {
    const on = keysOf(line).map((key) => pagesOf.get(key)?.size ?? 0);
    return Math.max(...on) >= needed;
  };
  const kept = new Set<string>();
  return pages.map((page, index) => {
    const running = new Set(candidates[index]!.filter(isRunning));
    for (const line of running) if (isFirstTitle(line, lines[index]!, kept)) running.delete(line);
    const left = lines[index]!.filter(
      (line) =>
        !running.has(line) &&
        !isDecoration(line, page.height) &&
        !(candidates[index]!.includes(line) && isPageNumber(line)),
    );
    return { lines: left, hadText: lines[index]!.length > 0 };
  });
}

/** Lines at the top and the bottom that stand apart from the text. Rows of a table that goes over pages do not. */
function edgeLines(lines: readonly Line[], height: number): Line[] {
  const top = lines.filter(({ bottom }) => bottom < height * edge).slice(0, maxRunning);
  const bottom = lines
    .filter((line) => line.bottom > height * (1 - edge))
    .slice(-maxRunning)
    .reverse();
  const found = [...apart(top, lines, 1), ...apart(bottom, lines, -1)];
  return [...new Set(found)].filter(({ text }) => text.length <= maxLength);
}

/** Those of the lines at an edge that are outside of the innermost gap. `step` leads to the inner lines of the page. */
function apart(outer: readonly Line[], lines: readonly Line[], step: 1 | -1): Line[] {
  const end = outer.findLastIndex((line) => {
    const inner = lines[lines.indexOf(line) + step];
    if (!inner) return true;
    const gap = Math.abs(inner.bottom - line.bottom);
    return gap >= minGap * Math.max(line.size, inner.size) && !isRowOfSameTable(line, inner);
  });
  return outer.slice(0, end + 1);
}

function isRowOfSameTable(line: Line, other: Line): boolean {
  const gaps = gapsOf(line, line.size * 0.8);
  const others = gapsOf(other, other.size * 0.8);
  const shared = gaps.filter((gap) => others.some(({ left, right }) => left < gap.right && right > gap.left));
  return (
    shared.length > 0 &&
    Math.min(gaps.length, others.length) === shared.length &&
    Math.abs(line.bottom - other.bottom) < line.size * 2.5 &&
    Math.abs(line.size - other.size) < 0.5
  );
}

/** By text and height. The number of the page differs, and so does its side in a book. */
function keysOf(line: Line): string[] {
  const text = line.text
    .toLowerCase()
    .replaceAll(/\d+/g, '#')
    .replaceAll(/^[ivxl]+$/g, '#');
  const height = Math.round(line.bottom / 4);
  return [height - 1, height, height + 1].map((at) => `${at} ${text}`);
}

/** The title of a form may stand at the same place on each of its pages. It counts once. */
function isFirstTitle(line: Line, lines: readonly Line[], kept: Set<string>): boolean {
  const largest = Math.max(...lines.map(({ size }) => size));
  const others = lines.filter((other) => other !== line && other.size < largest * 0.9);
  if (line.size < largest * 0.95 || others.length < lines.length / 2 || kept.has(line.text)) return false;
  kept.add(line.text);
  return true;
}

function isDecoration(line: Line, height: number): boolean {
  return (
    line.boxes.every(({ isArtifact }) => isArtifact) &&
    (line.bottom < height * edge || line.bottom > height * (1 - edge))
  );
}

/** A number that says what it counts, or one between dashes; a bare one could be anything on a single page. */
function isPageNumber(line: Line): boolean {
  return (
    /^(?:page|seite|página|pagina|p\.|s\.|blatt|sheet)\s*\d+(?:\s*(?:of|von|de|di|\/)\s*\d+)?$/i.test(
      line.text,
    ) ||
    /^[-–—]\s*\d+\s*[-–—]$/.test(line.text) ||
    /^\d+\s*(?:\/|of|von|de)\s*\d+$/i.test(line.text)
  );
}
