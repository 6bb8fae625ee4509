import type { NumberFormats } from './xlsx-formats.ts';
import { assertComplete, childAt, childrenOf, elementsOf, parseXml, textOf, type XmlElement } from './xml.ts';

export interface Cell {
  readonly text: string;
  /** Whether it is a number, a date or a truth value, which headers are not. */
  readonly isValue: boolean;
}

/** Cells that were joined into one, 0-based and inclusive. */
export interface Merge {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

export interface Sheet {
  /** Rows by their 0-based number, cells by their 0-based column. Empty ones are absent. */
  readonly rows: ReadonlyMap<number, ReadonlyMap<number, Cell>>;
  readonly merges: readonly Merge[];
}

const rowPattern = /<(?:\w+:)?row\b[^>]*?(?:\/>|>[\s\S]*?<\/(?:\w+:)?row\s*>)/g;
const mergePattern = /<(?:\w+:)?mergeCell\b[^>]*?\bref="([A-Z]+)(\d+):([A-Z]+)(\d+)"/g;
/** Longer values are cut: sheets hold whole files in cells at times, and Excel itself stops here. */
const maxCell = 32_767;

/** Reads the cells of a sheet, row by row, because a tree of a large one would take many times its size. */
export function readSheet(xml: string, strings: readonly string[], formats: NumberFormats): Sheet {
  assertComplete(xml, 'a sheet');
  const rows = new Map<number, ReadonlyMap<number, Cell>>();
  let y = -1;
  for (const [markup] of xml.matchAll(rowPattern)) {
    const row = parseXml(markup, 'a row of a sheet');
    y = indexOf(row.attributes['r'], y);
    const cells = new Map<number, Cell>();
    let x = -1;
    for (const element of childrenOf(row, 'c')) {
      const column = /^[A-Z]+/i.exec(element.attributes['r'] ?? '')?.[0];
      x = column === undefined ? x + 1 : columnOf(column);
      const cell = readCell(element, strings, formats);
      if (cell.text !== '') cells.set(x, cell);
    }
    if (cells.size > 0) rows.set(y, cells);
  }
  return { rows, merges: mergesOf(xml) };
}

function indexOf(reference: string | undefined, previous: number): number {
  const index = Number(reference) - 1;
  return Number.isInteger(index) && index >= 0 ? index : previous + 1;
}

/** 0-based number of a column by its letters. */
function columnOf(letters: string): number {
  return (
    Array.from(letters.toUpperCase()).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
  );
}

function mergesOf(xml: string): Merge[] {
  return [...xml.matchAll(mergePattern)].map(([, left = '', top = '', right = '', bottom = '']) => ({
    top: Number(top) - 1,
    left: columnOf(left),
    bottom: Number(bottom) - 1,
    right: columnOf(right),
  }));
}

function readCell(element: XmlElement, strings: readonly string[], formats: NumberFormats): Cell {
  const { t: type = 'n', s: style } = element.attributes;
  const value = textOf(childAt(element, 'v'));
  switch (type) {
    case 's':
      return { text: tidy(strings[Number(value)] ?? ''), isValue: false };
    case 'inlineStr': {
      const inline = childAt(element, 'is');
      return { text: inline ? tidy(textOfString(inline)) : '', isValue: false };
    }
    case 'str':
      return { text: tidy(value), isValue: false };
    case 'b':
      return { text: value === '1' ? 'TRUE' : value === '' ? '' : 'FALSE', isValue: true };
    // The value of an error says that a formula failed. It is no content.
    case 'e':
      return { text: '', isValue: true };
    case 'd':
      return { text: value.replace(/T00:00:00(?:\.0+)?Z?$/, ''), isValue: true };
    default:
      return { text: formats.format(value, style), isValue: true };
  }
}

/** The text of a string with its runs of different fonts, without the readings of Japanese names. */
export function textOfString(element: XmlElement): string {
  return elementsOf(element)
    .map((child) =>
      child.name === 't' ? textOf(child) : child.name === 'r' ? textOf(childAt(child, 't')) : '',
    )
    .join('');
}

function tidy(text: string): string {
  return text
    .slice(0, maxCell)
    .replaceAll(/_x([0-9A-F]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/\s+/g, ' ')
    .trim();
}
