import type { getDocumentProxy } from 'unpdf';

export type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;
export type PdfPage = Awaited<ReturnType<PdfDocument['getPage']>>;

/** A run of text on a page. Lengths are in points; `bottom` is the baseline, counted from the top of the page. */
export interface Box {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly size: number;
  readonly font: string;
  readonly isMonospaced: boolean;
  readonly isRightToLeft: boolean;
  /** Marked as decoration by the program that wrote the file. */
  readonly isArtifact: boolean;
  readonly hasSpaceBefore: boolean;
}

export interface PageBoxes {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  /** Text turned against the rest of the page, such as the stamp of an archive along the margin. */
  readonly turned: readonly string[];
}

interface Item {
  readonly str: string;
  readonly dir: string;
  readonly transform: readonly number[];
  readonly width: number;
  readonly fontName: string;
}

interface Mark {
  readonly type: string;
  readonly tag?: string;
}

/** A box before its page is turned upright. */
interface Placed extends Box {
  readonly angle: number;
}

/** Bullets that fonts of symbols hold at codes of their own. */
const symbolBullets = /[\uF0B7\uF0A7\uF0D8\uF06E\uF076\uF0FC]/g;
// eslint-disable-next-line no-control-regex -- Fonts without a map to Unicode give their codes.
const controls = /[\u0000-\u0008\u000B-\u001F\u007F\u200B\uFEFF]/g;

/** The runs of text of a page, upright, without what lies outside of it and what is printed twice to look bold. */
export async function readBoxes(page: PdfPage): Promise<PageBoxes> {
  const viewport = page.getViewport({ scale: 1 });
  const content = await page.getTextContent({ includeMarkedContent: true });
  const placed: Placed[] = [];
  const artifacts: boolean[] = [];
  let isAfterSpace = false;
  for (const entry of content.items as readonly (Item | Mark)[]) {
    if (!('str' in entry)) {
      if (entry.type.startsWith('begin'))
        artifacts.push(artifacts.at(-1) === true || entry.tag === 'Artifact');
      else artifacts.pop();
      continue;
    }
    const text = entry.str.replaceAll(controls, '').replaceAll(symbolBullets, '•');
    if (text.trim() === '') {
      isAfterSpace ||= text !== '';
      continue;
    }
    const isMonospaced = content.styles[entry.fontName]?.fontFamily === 'monospace';
    const box = place(entry, text, viewport.transform);
    placed.push({
      ...box,
      isMonospaced,
      isArtifact: artifacts.at(-1) === true,
      hasSpaceBefore: isAfterSpace || /^\s/.test(text),
    });
    isAfterSpace = /\s$/.test(text);
  }
  return upright(placed, viewport.width, viewport.height);
}

/** Applies the matrix of the page to an item. */
function place(item: Item, text: string, [a = 1, b = 0, c = 0, d = -1, e = 0, f = 0]: readonly number[]) {
  const [ta = 1, tb = 0, tc = 0, td = 1, te = 0, tf = 0] = item.transform;
  const left = a * te + c * tf + e;
  const size = Math.hypot(a * tc + c * td, b * tc + d * td) || Math.hypot(ta, tb);
  return {
    text: text.trim().replaceAll(/\s+/g, ' '),
    left,
    right: left + item.width * Math.hypot(a, b),
    bottom: b * te + d * tf + f,
    size,
    font: item.fontName,
    isRightToLeft: item.dir === 'rtl',
    angle: Math.round((Math.atan2(b * ta + d * tb, a * ta + c * tb) * 180) / Math.PI),
  };
}

/** Turns the page so that most of its text is level. */
function upright(placed: readonly Placed[], width: number, height: number): PageBoxes {
  const lengths = new Map<number, number>();
  for (const { angle, text } of placed) lengths.set(angle, (lengths.get(angle) ?? 0) + text.length);
  const [main = 0] = [...lengths].sort(([, a], [, b]) => b - a)[0] ?? [];
  const isSideways = Math.abs(main) === 90;
  const size = isSideways ? { width: height, height: width } : { width, height };
  const boxes: Box[] = [];
  const turned: string[] = [];
  const seen = new Set<string>();
  for (const { angle, ...box } of placed) {
    if (angle !== main) {
      // Slanted text is a watermark.
      if (Math.abs(angle) % 90 === 0) turned.push(box.text);
      continue;
    }
    const level = turnBack(box, main, width, height);
    const isOutside =
      level.right <= 0 ||
      level.left >= size.width ||
      level.bottom <= 0 ||
      level.bottom - level.size >= size.height;
    const key = `${Math.round(level.left)} ${Math.round(level.bottom)} ${level.text}`;
    if (isOutside || seen.has(key)) continue;
    seen.add(key);
    boxes.push(level);
  }
  return { ...size, boxes, turned };
}

function turnBack(box: Box, angle: number, width: number, height: number): Box {
  const length = box.right - box.left;
  const moved =
    angle === -90
      ? { left: height - box.bottom, bottom: box.left }
      : angle === 90
        ? { left: box.bottom, bottom: width - box.left }
        : Math.abs(angle) === 180
          ? { left: width - box.left, bottom: height - box.bottom }
          : undefined;
  return moved ? { ...box, ...moved, right: moved.left + length } : box;
}
