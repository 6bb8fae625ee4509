import type { Line } from './pdf-lines.ts';

/** How the text of a document is set, as far as headings and paragraphs are told apart by it. */
export interface Styles {
  /** Size and font of most of the running text. */
  readonly size: number;
  readonly font: string;
  /** Share of the characters that are set in a font, from 0 to 1. */
  shareOf(font: string): number;
  /** Usual distance between the baselines of lines of that size. */
  leadingOf(size: number): number;
  /** Whether text in a font of fixed width is code. It is not if the whole document is typewritten. */
  readonly hasCode: boolean;
}

/** A heading is this much larger than running text. */
const minRatio = 1.12;
const maxHeading = 200;
/** A line in a font of its own that is as large as running text is a heading only if it is short. */
const maxBold = 90;
const caption =
  /^(?:table|figure|fig\.|tab\.|abb\.|abbildung|tabelle|tableau|tabla|tabella)\s*[\dA-Z](?:[\d.]*\d)?(?:\s*[.:–—-](?:\s|$)|$)/iu;

export function stylesOf(flows: readonly (readonly Line[])[]): Styles {
  const sizes = new Map<number, number>();
  const fonts = new Map<string, number>();
  const steps = new Map<number, Map<number, number>>();
  let total = 0;
  let monospaced = 0;
  for (const flow of flows) {
    for (const [index, line] of flow.entries()) {
      const length = line.text.length;
      total += length;
      if (line.isMonospaced) monospaced += length;
      add(sizes, roundedSize(line.size), length);
      add(fonts, line.font, length);
      const next = flow[index + 1];
      const step = next ? next.bottom - line.bottom : 0;
      if (next && roundedSize(next.size) === roundedSize(line.size) && step > 0 && step < 2.2 * line.size) {
        const counts = steps.get(roundedSize(line.size)) ?? new Map<number, number>();
        add(counts, Math.round(step * 2) / 2, 1);
        steps.set(roundedSize(line.size), counts);
      }
    }
  }
  return {
    size: mostOf(sizes) ?? 10,
    font: mostOf(fonts) ?? '',
    shareOf: (font) => (fonts.get(font) ?? 0) / Math.max(1, total),
    leadingOf: (size) => mostOf(steps.get(roundedSize(size)) ?? new Map<number, number>()) ?? 1.25 * size,
    hasCode: monospaced < 0.5 * total,
  };
}

function add<Key>(counts: Map<Key, number>, key: Key, amount: number): void {
  counts.set(key, (counts.get(key) ?? 0) + amount);
}

function mostOf<Key>(counts: ReadonlyMap<Key, number>): Key | undefined {
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

export function roundedSize(size: number): number {
  return Math.round(size * 2) / 2;
}

/** Whether a paragraph of `lines` is set as a heading. `next` is the line after it, `step` the distance from the line before. */
export function isHeading(
  lines: readonly Line[],
  text: string,
  next: Line | undefined,
  step: number,
  styles: Styles,
): boolean {
  const [first] = lines;
  if (!first || !/\p{L}/u.test(text) || text.length > maxHeading || lines.length > 4) return false;
  if (first.size >= styles.size * minRatio) return !(text.length > 100 && /[.;,]$/.test(text));
  return (
    lines.length <= 2 &&
    text.length <= maxBold &&
    first.size >= styles.size * 0.95 &&
    !lines.some((line) => line.font === styles.font || line.boxes.some((box) => box.font !== first.font)) &&
    styles.shareOf(first.font) < 0.2 &&
    !first.isMonospaced &&
    !/[.,;!?]$/.test(text) &&
    /^[\p{Lu}\p{Lo}\p{N}]/u.test(text) &&
    !caption.test(text) &&
    step > 1.15 * styles.leadingOf(first.size) &&
    next !== undefined &&
    next.font !== first.font
  );
}

export function isCaption(text: string): boolean {
  return caption.test(text) && text.length <= 300;
}

/** A heading before its level is known. */
export interface HeadingStyle {
  readonly size: number;
  readonly text: string;
}

/** Levels by size. Among headings of one size, those with deeper numbers are deeper. */
export function levelsOf(headings: readonly HeadingStyle[]): (heading: HeadingStyle) => number {
  const sizes = [...new Set(headings.map(({ size }) => roundedSize(size)))].sort((a, b) => b - a);
  const shallowest = new Map<number, number>();
  for (const { size, text } of headings) {
    const depth = depthOf(text);
    if (depth === 0) continue;
    shallowest.set(roundedSize(size), Math.min(depth, shallowest.get(roundedSize(size)) ?? depth));
  }
  return ({ size, text }) => {
    const depth = depthOf(text);
    const deeper = depth === 0 ? 0 : depth - (shallowest.get(roundedSize(size)) ?? depth);
    return Math.min(6, sizes.indexOf(roundedSize(size)) + 1 + deeper);
  };
}

/** How many numbers a heading begins with: 2 for "3.1 Doors", 0 for none. */
function depthOf(text: string): number {
  return /^(\d+(?:\.\d+)*)\.?\s+\p{L}/u.exec(text)?.[1]?.split('.').length ?? 0;
}
