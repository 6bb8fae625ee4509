import type { Line } from './pdf-lines.ts';
import { isHeading, roundedSize, type Styles } from './pdf-styles.ts';
import type { Column } from './pdf-tables.ts';
import { endsSentence, joinLines } from './pdf-words.ts';

/** A piece of running text. */
export interface Paragraph {
  readonly kind: 'heading' | 'text' | 'item' | 'code';
  readonly text: string;
  readonly size: number;
}

const bullet = /^[•◦▪■●○‣➢✓·*–—-]\s+/;
const numbered = /^(?:\(?\d{1,2}[.)]|\(?[a-z][.)]|\([ivx]+\))\s+/;
/** Share of the width that the last line of a paragraph may leave free where nothing else shows its end. */
const maxShort = 0.25;

/** Splits lines of one column after another into paragraphs, list items, headings and code; `columns` has the column of each line. */
export function paragraphsOf(
  flow: readonly Line[],
  columns: readonly Column[],
  styles: Styles,
  words: ReadonlySet<string>,
): Paragraph[] {
  const paragraphs: Paragraph[] = [];
  let start = 0;
  while (start < flow.length) {
    let end = start + 1;
    while (end < flow.length && isJoined(flow, start, end, styles, columns[end - 1]!)) end++;
    paragraphs.push(paragraphOf(flow, start, end, styles, words));
    start = end;
  }
  return paragraphs;
}

function isCode(line: Line, styles: Styles): boolean {
  return styles.hasCode && line.isMonospaced;
}

/** Whether the line at `at` goes on with the paragraph that began at `start`. */
function isJoined(flow: readonly Line[], start: number, at: number, styles: Styles, column: Column): boolean {
  const [first, previous, line] = [flow[start]!, flow[at - 1]!, flow[at]!];
  const leading = styles.leadingOf(line.size);
  const step = line.bottom - previous.bottom;
  if (isCode(first, styles) || isCode(line, styles)) {
    return isCode(first, styles) && isCode(line, styles) && step > 0 && step < 3 * leading;
  }
  if (Math.abs(line.size - previous.size) > 0.08 * previous.size) return false;
  const isLarge = line.size >= styles.size * 1.12;
  if (isLarge)
    return (
      step > 0 &&
      step <= 1.42 * line.size &&
      line.font === first.font &&
      !/^\d+(?:\.\d+)*\.?\s/.test(line.text)
    );
  if (bullet.test(line.text) || startsNumbered(line, first)) return false;
  if (
    isBoldLine(first, styles) !== isBoldLine(line, styles) &&
    at - start <= 2 &&
    line.font !== previous.font
  ) {
    if (isBoldLine(first, styles)) return false;
  }
  // At the top of the next column a sentence goes on.
  if (step <= 0)
    return !endsSentence(previous.text) && previous.right > column.left + 0.6 * (column.right - column.left);
  if (step > 1.22 * leading) return false;
  const isItem = bullet.test(first.text) || numbered.test(first.text);
  if (isItem)
    return line.left > first.left + 0.3 * line.size || at - start > 1 || !endsSentence(previous.text);
  const isIndented =
    line.left - previous.left > 0.9 * line.size && previous.left < column.left + 0.5 * line.size;
  if (isIndented && at - start > 0 && endsSentence(previous.text)) return false;
  const free = column.right - previous.right;
  return !(free > maxShort * (column.right - column.left) && endsSentence(previous.text));
}

/** A whole line in a font that little of the text is set in. */
function isBoldLine(line: Line, styles: Styles): boolean {
  return (
    line.font !== styles.font &&
    styles.shareOf(line.font) < 0.2 &&
    line.boxes.every((box) => box.font === line.font)
  );
}

/** A number begins an item if it stands at the edge, not where a sentence was broken before "3. May". */
function startsNumbered(line: Line, first: Line): boolean {
  return numbered.test(line.text) && line.left <= first.left + 0.5 * line.size;
}

function paragraphOf(
  flow: readonly Line[],
  start: number,
  end: number,
  styles: Styles,
  words: ReadonlySet<string>,
): Paragraph {
  const lines = flow.slice(start, end);
  const [first] = lines as [Line];
  if (isCode(first, styles)) return { kind: 'code', text: codeOf(lines, styles), size: first.size };
  const text = lines.reduce((joined, line) => joinLines(joined, line.text, words), '');
  const previous = flow[start - 1];
  const step = previous && previous.bottom < first.bottom ? first.bottom - previous.bottom : Infinity;
  const size = roundedSize(first.size);
  if (bullet.test(text)) return { kind: 'item', text: `- ${text.replace(bullet, '')}`, size };
  if (isHeading(lines, text, flow[end], step, styles)) return { kind: 'heading', text, size };
  return { kind: numbered.test(text) ? 'item' : 'text', text, size };
}

/** Lines of code with their indents and empty lines. */
function codeOf(lines: readonly Line[], styles: Styles): string {
  const left = Math.min(...lines.map((line) => line.left));
  return lines
    .map((line, index) => {
      const [box] = line.boxes;
      const width = box ? (box.right - box.left) / Math.max(1, box.text.length) : line.size * 0.6;
      const previous = lines[index - 1];
      const isApart = previous && line.bottom - previous.bottom > 1.6 * styles.leadingOf(line.size);
      return `${isApart ? '\n' : ''}${' '.repeat(Math.max(0, Math.round((line.left - left) / width)))}${line.text}`;
    })
    .join('\n');
}
