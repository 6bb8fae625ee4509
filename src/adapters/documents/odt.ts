import { Problem } from '../../domain/problems.ts';
import type { Block, DocumentContent } from '../../domain/documents/content.ts';
import type { FileToRead } from '../../ports/document-reader.ts';
import { isSensibleTitle, optionalPart, requiredPart, timestampOf } from './office-package.ts';
import { countReplacements } from './replacements.ts';
import { childAt, descendantsOf, elementsOf, prefixedAttribute, textOf, type XmlElement } from './xml.ts';
import { openZip, type ZipArchive } from './zip.ts';

/** Elements that are not read: deleted text, comments, and what the program generates, such as tables of contents. */
const leftOut = new Set(
  'tracked-changes annotation table-of-content alphabetical-index table-index note-citation sequence-decls'.split(
    ' ',
  ),
);
/** Maximum number of columns of a table. Programs fill up rows with one empty cell that is repeated many times. */
const maxColumns = 200;

/** Reads headings, paragraphs, lists and tables of an OpenDocument text in their order, with all tracked changes accepted. */
export function readOdt(file: FileToRead): DocumentContent {
  const archive = openZip(file.bytes);
  if (descendantsOf(optionalPart(archive, 'META-INF/manifest.xml'), 'encryption-data').length > 0)
    throw new Problem('document-unreadable', 'it is encrypted and needs a password');
  const blocks = blocksOf(childAt(requiredPart(archive, 'content.xml'), 'body', 'text'));
  return {
    mediaType: 'application/vnd.oasis.opendocument.text',
    contentType: 'documentation',
    ...propertiesOf(archive),
    blocks,
    replacements: countReplacements(blocks),
  };
}

function propertiesOf(archive: ZipArchive) {
  const meta = childAt(optionalPart(archive, 'meta.xml'), 'meta');
  const valueOf = (name: string) => textOf(childAt(meta, name)).trim();
  const [title, language, author] = [valueOf('title'), valueOf('language'), valueOf('creator')];
  const occurredAt = timestampOf(valueOf('date'));
  return {
    ...(isSensibleTitle(title) && { title }),
    ...(language !== '' && { language }),
    ...(occurredAt !== undefined && { occurredAt }),
    ...(author !== '' && { metadata: { author } }),
  };
}

function blocksOf(parent: XmlElement | undefined): Block[] {
  return elementsOf(parent).flatMap((element): Block[] => {
    if (leftOut.has(element.name)) return [];
    switch (element.name) {
      case 'h':
        return heading(lineOf(element), Number(prefixedAttribute(element, 'outline-level') ?? 1));
      case 'p':
        return [...textBlock(lineOf(element)), ...descendantsOf(element, 'text-box').flatMap(blocksOf)];
      case 'list':
        return textBlock(linesOfList(element, 0).join('\n'));
      case 'table':
        return tableOf(element);
      default:
        return blocksOf(element);
    }
  });
}

function heading(line: string, level: number): Block[] {
  const text = line.replaceAll(/\s+/g, ' ').trim();
  return text === '' ? [] : [{ kind: 'heading', level: Math.min(6, Math.max(1, level)), text }];
}

function textBlock(text: string): Block[] {
  return text.trim() === '' ? [] : [{ kind: 'text', text: text.trim() }];
}

/** The text of a paragraph. A note follows its mark in parentheses. */
function lineOf(element: XmlElement): string {
  return element.children.map((child) => (typeof child === 'string' ? child : inline(child))).join('');
}

function inline(element: XmlElement): string {
  switch (element.name) {
    case 's':
      return ' '.repeat(Math.min(100, Number(prefixedAttribute(element, 'c') ?? 1)));
    case 'tab':
      return ' ';
    case 'line-break':
      return '\n';
    case 'note':
      return ` (${descendantsOf(element, 'p').map(lineOf).join(' ')})`;
    default:
      return leftOut.has(element.name) || element.name === 'frame' ? '' : lineOf(element);
  }
}

function linesOfList(list: XmlElement, depth: number): string[] {
  return elementsOf(list).flatMap((item) =>
    elementsOf(item).flatMap((child, index) => {
      if (child.name === 'list') return linesOfList(child, depth + 1);
      const text = lineOf(child).replaceAll('\n', ' ').trim();
      return text === '' ? [] : [`${'  '.repeat(depth)}${index === 0 ? '- ' : '  '}${text}`];
    }),
  );
}

/** A cell that spans others is repeated in each of them, so that every row can be read alone. */
function tableOf(table: XmlElement): Block[] {
  const rows = descendantsOf(table, 'table-row').map(cellsOf);
  const [header, ...others] = rows.filter((row) => row.some((cell) => cell !== ''));
  return header ? [{ kind: 'table', header, rows: others }] : [];
}

function cellsOf(row: XmlElement): string[] {
  const cells: string[] = [];
  for (const cell of elementsOf(row)) {
    const times = Number(prefixedAttribute(cell, 'number-columns-repeated') ?? 1);
    const own = descendantsOf(cell, 'p').map(lineOf).join(' ').trim();
    const text = cell.name === 'covered-table-cell' ? (cells.at(-1) ?? '') : own;
    for (let n = 0; n < times && cells.length < maxColumns; n++) cells.push(text);
  }
  while (cells.at(-1) === '') cells.pop();
  return cells;
}
