import { Problem } from '../../domain/problems.ts';
import type { Block, DocumentContent } from '../../domain/documents/content.ts';
import type { FileToRead } from '../../ports/document-reader.ts';
import { corePropertiesOf, openOfficePackage, optionalPart } from './office-package.ts';
import { countReplacements } from './replacements.ts';
import { blocksOfSheet } from './xlsx-blocks.ts';
import { NumberFormats } from './xlsx-formats.ts';
import { readSheet, textOfString } from './xlsx-sheet.ts';
import { assertComplete, childAt, childrenOf, parseXml, type XmlElement } from './xml.ts';
import type { ZipArchive } from './zip.ts';

const sharedItem = /<(?:\w+:)?si\b[^>]*?(?:\/>|>[\s\S]*?<\/(?:\w+:)?si\s*>)/g;

/** Reads the sheets of a workbook in order, each as a heading and its tables. Formulas give the value that was last calculated. */
export async function readXlsx(file: FileToRead): Promise<DocumentContent> {
  const { archive, main: workbook, relationships } = openOfficePackage(file.bytes, 'xl/workbook.xml');
  const partOf = (type: string) => relationships.find((relationship) => relationship.type === type)?.target;
  const strings = sharedStringsOf(archive, partOf('sharedStrings'));
  const formats = new NumberFormats(styles(archive, partOf('styles')), isFrom1904(workbook));
  const blocks: Block[] = [];
  const empty: number[] = [];
  const withoutText: number[] = [];
  const sheets = childrenOf(childAt(workbook, 'sheets'), 'sheet');
  for (const [index, { attributes }] of sheets.entries()) {
    const page = index + 1;
    const id = Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1];
    const part = relationships.find((relationship) => relationship.id === id);
    const xml = part && archive.text(part.target);
    if (xml === undefined) throw new Problem('document-unreadable', `sheet ${page} is missing from it`);
    const place = { page, ...((attributes['state'] ?? 'visible') !== 'visible' && { isHidden: true }) };
    const content = part?.type === 'worksheet' ? blocksOfSheet(readSheet(xml, strings, formats)) : [];
    if (content.length > 0) {
      blocks.push({ kind: 'heading', level: 1, text: attributes['name'] ?? '', ...place });
      blocks.push(...content.map((block) => ({ ...block, ...place })));
    } else (/<(?:\w+:)?drawing\b/.test(xml) ? withoutText : empty).push(page);
  }
  return {
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    contentType: 'documentation',
    ...corePropertiesOf(archive),
    blocks,
    pages: { total: sheets.length, empty, withoutText },
    replacements: countReplacements(blocks),
  };
}

function styles(archive: ZipArchive, path: string | undefined): XmlElement | undefined {
  return path === undefined ? undefined : optionalPart(archive, path);
}

function isFrom1904(workbook: XmlElement): boolean {
  return ['1', 'true'].includes(childAt(workbook, 'workbookPr')?.attributes['date1904'] ?? '');
}

/** Parsed string by string, because a tree of all of them would take many times their size. */
function sharedStringsOf(archive: ZipArchive, path: string | undefined): readonly string[] {
  const xml = path === undefined ? undefined : archive.text(path);
  if (xml !== undefined) assertComplete(xml, 'the list of texts');
  return (xml?.match(sharedItem) ?? []).map((item) => textOfString(parseXml(item, path ?? '')));
}
