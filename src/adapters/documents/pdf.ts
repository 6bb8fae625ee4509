import { getDocumentProxy, getResolvedPDFJS } from 'unpdf';
import { Problem } from '../../domain/problems.ts';
import type { Block, DocumentContent, Pages } from '../../domain/documents/content.ts';
import type { FileToRead } from '../../ports/document-reader.ts';
import { isSensibleTitle } from './office-package.ts';
import { blocksOfPages } from './pdf-blocks.ts';
import { CMapFactory } from './pdf-cmaps.ts';
import { readBoxes, type PageBoxes, type PdfDocument, type PdfPage } from './pdf-boxes.ts';
import { withoutRunningLines } from './pdf-running.ts';
import { countReplacements } from './replacements.ts';

interface PageText extends PageBoxes {
  /** Whether it shows a picture; looked at only where there is no text. */
  readonly hasPicture: boolean;
}

/** Drawn lines on a page: fewer are a frame or a rule, more are a drawing. */
const minStrokes = 20;
const maxPages = 10_000;
/** Letters before a title counts as an abstract or as a list of references. */
const abstract = /^(?:abstract|zusammenfassung|résumé|resumen|abstrakt)\b[\s.:—–-]*/i;
const references =
  /^(?:\d+\.?\s+)?(?:references|bibliography|works cited|literatur(?:verzeichnis)?|références|bibliographie|referencias)$/i;

/** Node 20 has no such method yet, and the library needs it to list what a page draws. */
if (!('transferToFixedLength' in ArrayBuffer.prototype)) {
  // oxlint-disable-next-line no-extend-native -- Added as later versions of Node define it.
  Object.defineProperty(ArrayBuffer.prototype, 'transferToFixedLength', {
    configurable: true,
    writable: true,
    value(this: ArrayBuffer, length = this.byteLength): ArrayBuffer {
      const moved = new ArrayBuffer(length);
      new Uint8Array(moved).set(new Uint8Array(this).subarray(0, length));
      return moved;
    },
  });
}

/** Reads the text layer of a PDF page by page. Throws `document-unreadable` for files that are damaged, encrypted or without text. */
export async function readPdf(file: FileToRead): Promise<DocumentContent> {
  const pdf = await open(file.bytes);
  try {
    return await read(pdf, file.bytes);
  } finally {
    await pdf.destroy();
  }
}

async function open(bytes: Uint8Array): Promise<PdfDocument> {
  try {
    // The library takes the bytes over, so it gets a copy.
    return await getDocumentProxy(new Uint8Array(bytes), {
      verbosity: 0,
      BinaryDataFactory: CMapFactory,
      cMapPacked: false,
      useWorkerFetch: false,
    });
  } catch (cause) {
    const isLocked = cause instanceof Error && cause.name === 'PasswordException';
    throw new Problem(
      'document-unreadable',
      isLocked
        ? 'it is encrypted and needs a password'
        : 'it is damaged or cut off: its structure cannot be read',
      { cause },
    );
  }
}

async function read(pdf: PdfDocument, bytes: Uint8Array): Promise<DocumentContent> {
  if (pdf.numPages > maxPages) throw new Problem('document-too-large', `it has more than ${maxPages} pages`);
  const texts = await readPages(pdf);
  const lines = withoutRunningLines(texts);
  const { blocks: main, largest } = blocksOfPages(lines.map((page) => page.lines));
  const blocks = withTurned(main, texts);
  const bare = texts.flatMap((text, index) => {
    const hasLeft = lines[index]!.lines.length > 0 || text.turned.length > 0;
    return hasLeft ? [] : [{ page: index + 1, hasPicture: text.hasPicture }];
  });
  const pages: Pages = {
    total: pdf.numPages,
    empty: bare.filter(({ hasPicture }) => !hasPicture).map(({ page }) => page),
    withoutText: bare.filter(({ hasPicture }) => hasPicture).map(({ page }) => page),
  };
  refuseUnreadable(pages, bytes);
  return {
    mediaType: 'application/pdf',
    contentType: contentTypeOf(blocks),
    ...(await propertiesOf(pdf, largest)),
    blocks,
    pages,
    replacements: countReplacements(blocks),
  };
}

async function readPages(pdf: PdfDocument): Promise<PageText[]> {
  const texts: PageText[] = [];
  const damaged: number[] = [];
  for (let number = 1; number <= pdf.numPages; number++) {
    try {
      const page = await pdf.getPage(number);
      const boxes = await readBoxes(page);
      // A page with little but its number may be a scan with a stamp.
      const length = boxes.boxes.reduce((sum, { text }) => sum + text.length, 0);
      texts.push({ ...boxes, hasPicture: length < 300 && (await showsPicture(page)) });
      page.cleanup();
    } catch {
      damaged.push(number);
    }
  }
  if (damaged.length > 0) {
    throw new Problem('document-unreadable', `it is damaged: ${named(damaged)} cannot be read`);
  }
  return texts;
}

async function showsPicture(page: PdfPage): Promise<boolean> {
  const { OPS } = await getResolvedPDFJS();
  const { fnArray } = await page.getOperatorList();
  const pictures = new Set<number>([
    OPS.paintImageXObject,
    OPS.paintInlineImageXObject,
    OPS.paintInlineImageXObjectGroup,
    OPS.paintImageXObjectRepeat,
    OPS.paintImageMaskXObject,
    OPS.paintImageMaskXObjectGroup,
    OPS.paintImageMaskXObjectRepeat,
    OPS.shadingFill,
  ]);
  const strokes = fnArray.filter((operator) => operator === OPS.constructPath).length;
  return strokes >= minStrokes || fnArray.some((operator) => pictures.has(operator));
}

/** Turned text stands at the end of its page. */
function withTurned(blocks: readonly Block[], texts: readonly PageText[]): Block[] {
  const result = [...blocks];
  for (const [index, { turned }] of texts.entries()) {
    if (turned.length === 0) continue;
    const page = index + 1;
    const at = result.findLastIndex((block) => (block.page ?? 0) <= page) + 1;
    result.splice(at, 0, { kind: 'text', text: turned.join(' '), page });
  }
  return result;
}

function refuseUnreadable(pages: Pages, bytes: Uint8Array): void {
  const bare = [...pages.empty, ...pages.withoutText].sort((a, b) => a - b);
  if (bare.length > 0 && isCut(bytes)) {
    throw new Problem('document-unreadable', `it is cut off: nothing is left of ${named(bare)}`);
  }
  if (bare.length < pages.total) return;
  const what =
    pages.withoutText.length > 0 ? 'there is no text layer but pictures alone' : 'there is no text';
  throw new Problem('document-unreadable', `${what} on ${named(bare)} of ${pages.total}`);
}

/** The table of objects stands at the end. Where it is missing, objects may be missing as well. */
function isCut(bytes: Uint8Array): boolean {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return content.lastIndexOf('startxref') < content.lastIndexOf('endobj');
}

function named(pages: readonly number[]): string {
  const ranges: string[] = [];
  for (let start = 0; start < pages.length;) {
    let end = start;
    while (pages[end + 1] === pages[end]! + 1) end++;
    ranges.push(end > start ? `${pages[start]}-${pages[end]}` : `${pages[start]}`);
    start = end + 1;
  }
  return `${pages.length === 1 ? 'page' : 'pages'} ${ranges.join(', ')}`;
}

async function propertiesOf(pdf: PdfDocument, largest: string | undefined) {
  const info = await infoOf(pdf);
  const valueOf = (name: string) => {
    const value = info[name];
    return typeof value === 'string' && isSensibleTitle(value.trim()) ? value.trim() : undefined;
  };
  const title = valueOf('Title') ?? largest;
  const language = typeof info['Language'] === 'string' ? info['Language'].trim() : '';
  const occurredAt = timeOf(info['ModDate']) ?? timeOf(info['CreationDate']);
  const metadata = Object.fromEntries(
    ['Author', 'Subject', 'Keywords'].flatMap((name) => {
      const value = valueOf(name);
      return value === undefined ? [] : [[name.toLowerCase(), value]];
    }),
  );
  return {
    ...(title !== undefined && { title }),
    ...(/^[a-z]{2,3}(?:-[\w-]+)?$/i.test(language) && { language }),
    ...(occurredAt !== undefined && { occurredAt }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

/** A file whose properties are damaged is read without them. */
async function infoOf(pdf: PdfDocument): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await pdf.getMetadata()).info as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

/** RFC 3339 of a date such as `D:20260211093000+01'00'`. */
function timeOf(value: unknown): string | undefined {
  const match = /^D:(\d{4})(\d\d)(\d\d)(\d\d)?(\d\d)?(\d\d)?(?:([+-])(\d\d)'?(\d\d)?)?/.exec(
    typeof value === 'string' ? value : '',
  );
  if (!match) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', sign, hours, minutes = '00'] = match;
  const offset = sign === undefined || hours === undefined ? 'Z' : `${sign}${hours}:${minutes}`;
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** A paper has an abstract, and a list of what it refers to. */
function contentTypeOf(blocks: readonly Block[]): string {
  const texts = blocks.flatMap((block) => (block.kind === 'heading' || block.kind === 'text' ? [block] : []));
  const hasAbstract = texts.slice(0, 40).some(({ text, page = 1 }) => page <= 3 && abstract.test(text));
  const hasReferences = texts.some(
    ({ text, kind }) =>
      (kind === 'heading' && references.test(text)) ||
      /^\[1\]\s[^]*\[2\]\s/.test(text) ||
      references.test(text),
  );
  return hasAbstract && hasReferences ? 'academic_paper' : 'documentation';
}
