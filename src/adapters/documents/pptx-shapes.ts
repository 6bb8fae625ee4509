import type { Block } from '../../domain/documents/content.ts';
import { tableOfFrame, chartOfPart } from './pptx-tables.ts';
import { childAt, childrenOf, descendantsOf, elementsOf, textOf, type XmlElement } from './xml.ts';

/** A shape with text, or a table. */
export interface Shape {
  /** What the layout reserves its place for, such as `title`, `body` or `dt`; undefined for a free text box. */
  readonly placeholder?: string | undefined;
  /** Markdown. */
  readonly text: string;
  readonly table?: Extract<Block, { kind: 'table' }> | undefined;
}

type PartOf = (id: string) => XmlElement | undefined;

const titles = new Set(['title', 'ctrTitle']);
/** Placeholders whose paragraphs have bullets unless they say otherwise. */
const bulleted = new Set(['body', 'obj']);
const decoration = new Set(['dt', 'ftr', 'hdr']);
/** A line that can stand for the title of a slide without one. */
const maxHeading = 80;

/** The shapes of a slide in reading order, which is the order of its tree. */
export function readShapes(tree: XmlElement | undefined, partOf: PartOf): Shape[] {
  return elementsOf(tree).flatMap((element) => {
    if (element.name === 'grpSp') return readShapes(element, partOf);
    if (element.name === 'AlternateContent') {
      return readShapes(childAt(element, 'Choice') ?? childAt(element, 'Fallback'), partOf);
    }
    if (element.name === 'graphicFrame') return readFrame(element, partOf);
    return element.name === 'sp' ? readShape(element) : [];
  });
}

export function isDecoration(shape: Shape): boolean {
  return decoration.has(shape.placeholder ?? '');
}

export function hasPicture(tree: XmlElement | undefined): boolean {
  return ['pic', 'blip', 'graphicFrame', 'oleObj'].some((name) => descendantsOf(tree, name).length > 0);
}

/** The title first, then the other shapes, then the notes of the speaker. */
export function blocksOfSlide(shapes: readonly Shape[], notes: string): Block[] {
  const title = shapes.find(({ placeholder }) => titles.has(placeholder ?? ''));
  const others = shapes.filter((shape) => shape !== title);
  const heading = title ? oneLine(title.text) : '';
  const [first, ...rest] = others;
  const standsForTitle =
    heading === '' && first?.table === undefined && isHeadingLike(first?.text ?? '') && rest.length > 0;
  const text = standsForTitle ? (first?.text ?? '') : heading;
  const level = title?.placeholder === 'ctrTitle' ? 1 : 2;
  return [
    ...(text === '' ? [] : [{ kind: 'heading', level, text } as const]),
    ...(standsForTitle ? rest : others).flatMap((shape): Block[] => {
      if (shape.table) return [shape.table];
      return shape.text === '' ? [] : [{ kind: 'text', text: shape.text }];
    }),
    ...(notes === '' ? [] : [{ kind: 'text', text: notes } as const]),
  ];
}

function isHeadingLike(text: string): boolean {
  return text !== '' && text.length <= maxHeading && !text.includes('\n') && !/^- |[.:;,]$/.test(text);
}

/** The text of the notes page, without the numbers and headers that stand there as well. */
export function notesOf(page: XmlElement | undefined): string {
  return descendantsOf(page, 'sp')
    .filter((shape) => placeholderOf(shape) === 'body')
    .map((shape) => paragraphsOf(childAt(shape, 'txBody'), false))
    .filter((text) => text !== '')
    .join('\n\n');
}

function placeholderOf(shape: XmlElement): string | undefined {
  const placeholder = descendantsOf(childAt(shape, 'nvSpPr', 'nvPr'), 'ph')[0];
  return placeholder && (placeholder.attributes['type'] ?? 'obj');
}

function readShape(shape: XmlElement): Shape[] {
  const placeholder = placeholderOf(shape);
  if (placeholder === 'sldNum') return [];
  const text = paragraphsOf(childAt(shape, 'txBody'), bulleted.has(placeholder ?? ''));
  return text === '' ? [] : [{ placeholder, text }];
}

/** A table, a chart by its numbers, or a diagram by its texts. */
function readFrame(frame: XmlElement, partOf: PartOf): Shape[] {
  const data = childAt(frame, 'graphic', 'graphicData');
  const table = tableOfFrame(childAt(data, 'tbl'), (cell) =>
    oneLine(paragraphsOf(childAt(cell, 'txBody'), false)),
  );
  if (table) return [{ text: '', table }];
  for (const reference of elementsOf(data)) {
    const attributes = Object.entries(reference.attributes);
    const idOf = (name: string) => attributes.find(([key]) => key.endsWith(`:${name}`))?.[1] ?? '';
    if (reference.name === 'chart') {
      const chart = chartOfPart(partOf(idOf('id')));
      if (chart) return [{ text: '', table: chart }];
    } else if (reference.name === 'relIds') {
      const lines = descendantsOf(partOf(idOf('dm')), 't')
        .map((point) => paragraphsOf(point, false) || oneLine(textOf(point)))
        .filter((line) => line !== '');
      if (lines.length > 0) return [{ text: lines.map((line) => `- ${oneLine(line)}`).join('\n') }];
    }
  }
  return [];
}

/** Paragraphs as Markdown; lists keep their levels. */
function paragraphsOf(body: XmlElement | undefined, isBulleted: boolean): string {
  let text = '';
  let wasItem = false;
  for (const paragraph of childrenOf(body, 'p')) {
    const line = runsOf(paragraph)
      .split('\n')
      .map((part) => part.replaceAll(/[ \t\u00A0]+/g, ' ').trim())
      .filter((part) => part !== '')
      .join('\n');
    if (line === '') continue;
    const marker = markerOf(childAt(paragraph, 'pPr'), isBulleted);
    const isItem = marker !== '';
    if (text !== '') text += isItem && wasItem ? '\n' : '\n\n';
    text += marker + line.replaceAll('\n', isItem ? `\n${' '.repeat(marker.length)}` : '\n');
    wasItem = isItem;
  }
  return text;
}

function markerOf(properties: XmlElement | undefined, isBulleted: boolean): string {
  const names = elementsOf(properties).map(({ name }) => name);
  const isItem =
    names.some((name) => /^bu(?:Char|AutoNum|Blip)$/.test(name)) || (isBulleted && !names.includes('buNone'));
  if (!isItem) return '';
  const indent = '  '.repeat(Number(properties?.attributes['lvl'] ?? 0) || 0);
  return `${indent}${names.includes('buAutoNum') ? '1.' : '-'} `;
}

/** The text of a paragraph. Fields such as the number of the slide are left out; formulas give their letters. */
function runsOf(paragraph: XmlElement): string {
  return elementsOf(paragraph)
    .map((element): string => {
      if (element.name === 'br') return '\n';
      if (element.name === 'r') return textOf(childAt(element, 't'));
      if (element.name === 'fld') {
        return /^(?:slidenum|datetime)/.test(element.attributes['type'] ?? '')
          ? ''
          : textOf(childAt(element, 't'));
      }
      if (element.name === 'AlternateContent') return runsOf(childAt(element, 'Choice') ?? element);
      return descendantsOf(element, 't').map(textOf).join('');
    })
    .join('');
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').trim();
}
