import { unzipSync } from 'fflate';
import { Problem } from '../../domain/problems.ts';
import type { FormatKind } from './detect.ts';

export const readTypes =
  'Markdown, HTML, PDF, DOCX, PPTX, XLSX, ODT, EPUB, mail, RSS, Atom, CSV, JSON, Jupyter notebooks, source code and plain text are read';

type Signature = readonly [what: string, offset: number, bytes: string];

/** Kinds of files by the bytes that they start with, for the detail of a refusal. */
const unsupported: readonly Signature[] = [
  ['a PNG image', 0, '\x89PNG'],
  ['a JPEG image', 0, '\xFF\xD8\xFF'],
  ['a GIF image', 0, 'GIF8'],
  ['a TIFF image', 0, 'II*\0'],
  ['a TIFF image', 0, 'MM\0*'],
  ['a Photoshop image', 0, '8BPS'],
  ['an icon', 0, '\0\0\x01\0'],
  ['a WebP image', 8, 'WEBPVP8'],
  ['a WAVE sound', 8, 'WAVEfmt '],
  ['an AVI video', 8, 'AVI LIST'],
  ['an MP3 sound', 0, 'ID3'],
  ['an Ogg sound', 0, 'OggS'],
  ['a FLAC sound', 0, 'fLaC'],
  ['an MP4 or HEIF file', 4, 'ftyp'],
  ['a Matroska video', 0, '\x1AE\xDF\xA3'],
  ['an ELF executable', 0, '\x7FELF'],
  ['a Mach-O executable', 0, '\xCF\xFA\xED\xFE'],
  ['a Mach-O executable or Java class', 0, '\xCA\xFE\xBA\xBE'],
  ['a WebAssembly module', 0, '\0asm'],
  ['a gzip archive', 0, '\x1F\x8B'],
  ['a bzip2 archive', 0, 'BZh'],
  ['an xz archive', 0, '\xFD7zXZ\0'],
  ['a Zstandard archive', 0, '(\xB5/\xFD'],
  ['a 7z archive', 0, "7z\xBC\xAF'\x1C"],
  ['a RAR archive', 0, 'Rar!\x1A\x07'],
  ['a tar archive', 257, 'ustar'],
  ['a SQLite database', 0, 'SQLite format 3\0'],
  ['a Parquet file', 0, 'PAR1'],
  ['a font', 0, 'wOFF'],
  ['a font', 0, 'wOF2'],
  ['a font', 0, '\0\x01\0\0\0'],
  ['a font', 0, 'OTTO'],
  ['an RTF document', 0, '{\\rtf'],
  ['a PostScript file', 0, '%!PS'],
];

/** Members that tell what a zip file is. */
const members: readonly (readonly [kind: FormatKind, member: string])[] = [
  ['docx', 'word/document.xml'],
  ['pptx', 'ppt/presentation.xml'],
  ['xlsx', 'xl/workbook.xml'],
  ['epub', 'META-INF/container.xml'],
];
const folders: readonly (readonly [kind: FormatKind, folder: string])[] = [
  ['docx', 'word/'],
  ['pptx', 'ppt/'],
  ['xlsx', 'xl/'],
];
/** A PDF may have a few lines before its header. */
const PDF_HEADER_WITHIN = 1024;
const SAMPLE = 65_536;
/** Control characters in a thousand bytes: texts have hardly any, compressed or random bytes about a hundred. */
const MAX_CONTROLS = 10;

/** The kind of a binary file by its bytes; `undefined` for what may be text. Throws `unsupported-document` for other binary kinds. */
export function binaryKind(bytes: Uint8Array): FormatKind | undefined {
  const start = latin1(bytes.subarray(0, PDF_HEADER_WITHIN));
  if (start.startsWith('%PDF-') || /(^|[\r\n\0])%PDF-\d/.test(start)) return 'pdf';
  if (start.startsWith('PK\x03\x04') || start.startsWith('PK\x05\x06')) return zipKind(bytes);
  if (start.startsWith('\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1')) throw compoundFile(bytes);
  // Two letters are too few to tell a program from a text: its header has zeros, too.
  if (start.startsWith('MZ') && start.includes('\0')) throw unsupportedDocument('a Windows executable');
  const known = unsupported.find(([, offset, signature]) => start.startsWith(signature, offset));
  if (known) throw unsupportedDocument(known[0]);
  return undefined;
}

export function unsupportedDocument(what: string): Problem {
  return new Problem('unsupported-document', `this is ${what}; ${readTypes}`);
}

/** Tells whether bytes without a known signature, in an encoding without zeros, are no text. */
export function looksBinary(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE);
  let controls = 0;
  for (const byte of sample) {
    if (byte === 0) return true;
    if ((byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b) || byte === 0x7f) controls += 1;
  }
  return controls * 1000 > sample.length * MAX_CONTROLS;
}

function zipKind(bytes: Uint8Array): FormatKind {
  const names = namesOf(bytes);
  const mimetype = /^mimetype(application\/[\w.+-]+)/.exec(latin1(bytes.subarray(30, 130)))?.[1];
  if (mimetype?.startsWith('application/epub+zip')) return 'epub';
  if (mimetype?.startsWith('application/vnd.oasis.opendocument.text')) return 'odt';
  if (mimetype?.startsWith('application/vnd.oasis'))
    throw unsupportedDocument('an OpenDocument file other than ODT');
  if (names.has('xl/workbook.bin')) throw unsupportedDocument('a binary workbook (XLSB)');
  const kind =
    members.find(([, member]) => names.has(member))?.[0] ??
    folders.find(([, folder]) => names.has('[Content_Types].xml') && startsAny(names, folder))?.[0];
  if (kind === undefined) throw unsupportedDocument('a zip archive');
  return kind;
}

/** Names of the members of a zip file. Those of a damaged one are taken from the headers before each member. */
function namesOf(bytes: Uint8Array): ReadonlySet<string> {
  const names = new Set<string>();
  try {
    unzipSync(bytes, {
      filter: ({ name }) => {
        names.add(name);
        return false;
      },
    });
  } catch {
    for (let at = nextHeader(bytes, 0); at !== -1; at = nextHeader(bytes, at + 4)) {
      const length = (bytes[at + 26] ?? 0) + 256 * (bytes[at + 27] ?? 0);
      names.add(latin1(bytes.subarray(at + 30, at + 30 + length)));
    }
  }
  return names;
}

function nextHeader(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0x50, from); at !== -1; at = bytes.indexOf(0x50, at + 1))
    if (bytes[at + 1] === 0x4b && bytes[at + 2] === 3 && bytes[at + 3] === 4) return at;
  return -1;
}

/** Office encrypts a document into a compound file, the container of its formats of before 2007. */
function compoundFile(bytes: Uint8Array): Problem {
  const isEncrypted = Buffer.from(bytes).includes(Buffer.from('EncryptedPackage', 'utf16le'));
  return isEncrypted
    ? new Problem('document-unreadable', 'the document is encrypted with a password')
    : unsupportedDocument('an Office file of before 2007 (DOC, XLS, PPT) or an Outlook message');
}

function startsAny(names: ReadonlySet<string>, prefix: string): boolean {
  return [...names].some((name) => name.startsWith(prefix));
}

/** Each byte as one character; not by TextDecoder, which takes `latin1` for windows-1252. */
function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
