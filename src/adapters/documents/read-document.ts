import type { Block, DocumentContent } from '../../domain/documents/content.ts';
import { Problem } from '../../domain/problems.ts';
import type { FileToRead } from '../../ports/document-reader.ts';
import { detectFormat, type Format, type FormatKind } from './detect.ts';

type Read = (file: FileToRead, format: Format) => DocumentContent | Promise<DocumentContent>;

/** The libraries of a format take up to a second to load, and most processes read few formats. */
const readers: Readonly<Record<FormatKind, () => Promise<Read>>> = {
  pdf: async () => (await import('./pdf.ts')).readPdf,
  docx: async () => (await import('./docx.ts')).readDocx,
  pptx: async () => (await import('./pptx.ts')).readPptx,
  xlsx: async () => (await import('./xlsx.ts')).readXlsx,
  odt: async () => (await import('./odt.ts')).readOdt,
  epub: async () => (await import('./epub.ts')).readEpub,
  html: async () => (await import('./html.ts')).readHtml,
  markdown: async () => (await import('./markdown.ts')).readMarkdown,
  mail: async () => (await import('./mail.ts')).readMail,
  feed: async () => (await import('./feed.ts')).readFeed,
  csv: async () => (await import('./csv.ts')).readCsv,
  json: async () => (await import('./json.ts')).readJson,
  jsonl: async () => (await import('./json.ts')).readJson,
  notebook: async () => (await import('./notebook.ts')).readNotebook,
  code: async () => (await import('./code.ts')).readCode,
  text: async () => (await import('./plain.ts')).readPlain,
};

/** Of a long document, this much text is enough to tell the language. */
const sampleLength = 20_000;

/**
 * Turns a file into text: what the bytes are decides who reads it. A file without a byte has no blocks. Throws a `Problem`:
 * `unsupported-document`, `document-unreadable` or `document-too-large`.
 */
export async function readDocument(file: FileToRead): Promise<DocumentContent> {
  if (file.bytes.length === 0) {
    return {
      mediaType: file.mediaType?.split(';')[0]?.trim() || 'text/plain',
      contentType: 'note',
      blocks: [],
      replacements: 0,
    };
  }
  try {
    const format = detectFormat(file);
    const read = await readers[format.kind]();
    const content = await read(file, format);
    // What is no notebook after all is read as JSON, and its reader names that type.
    const mediaType = format.kind === 'notebook' ? content.mediaType : format.mediaType;
    return await withLanguage({ ...content, mediaType });
  } catch (error) {
    throw error instanceof Problem ? error : unreadable(error);
  }
}

/** Messages of libraries are about their own matters, and may quote the file. */
export function unreadable(cause: unknown): Problem {
  return new Problem('document-unreadable', 'it is damaged, or not what its type says', { cause });
}

async function withLanguage(content: DocumentContent): Promise<DocumentContent> {
  if (content.language !== undefined || content.programmingLanguage !== undefined) return content;
  const { languageOf } = await import('./language.ts');
  // Tables are full of names and codes of no language.
  const prose = content.blocks.filter(({ kind }) => kind !== 'table');
  const language = languageOf(sampleOf(prose)) ?? languageOf(sampleOf(content.blocks));
  return language === undefined ? content : { ...content, language };
}

/** Text from all over the document. */
function sampleOf(blocks: readonly Block[]): string {
  const texts = blocks.flatMap((block) => {
    if (block.kind === 'code' || block.isBoilerplate === true) return [];
    if (block.kind === 'table') return [[block.header, ...block.rows].flat().join(' ')];
    return [block.kind === 'entry' ? `${block.title} ${block.text}` : block.text];
  });
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const share = Math.min(1, sampleLength / Math.max(1, length));
  return texts.map((text) => text.slice(0, Math.ceil(text.length * share))).join('\n');
}
