import { analyse } from 'chardet';
import { withoutControls } from './windows-1252.ts';

export interface DecodedText {
  /** Without a byte order mark, and with LF as the end of each line. */
  readonly text: string;
  /** As the WHATWG names it, such as `windows-1252`; UTF-32 has no name there and is called `utf-32`. */
  readonly encoding: string;
  /** Characters that could not be decoded, each a U+FFFD in the text. */
  readonly replacements: number;
}

const REPLACEMENT = '\uFFFD';
/** Bytes that the detector of encodings looks at: it takes time for each, and the rest is of the same language. */
const SAMPLE = 65_536;
/** Of this many well-formed sequences of UTF-8, one broken byte is damage and not a sign of another encoding. */
const DAMAGE = 4;
/** What the detector may be mistaken by between encodings of one family. */
const CONFIDENCE_MARGIN = 15;

/**
 * Decodes a text: by its byte order mark, then by what is declared, then as UTF-8 if it is well-formed or nearly so, and else by what
 * its bytes look like. `declared` is a label of the WHATWG; an unknown one is ignored.
 */
export function decodeText(bytes: Uint8Array, declared?: string): DecodedText {
  const marked = byteOrderMark(bytes);
  if (marked) return decodeAs(bytes.subarray(marked.length), marked.encoding);
  const label = knownEncoding(declared);
  const utf8 = decodeAs(bytes, 'utf-8');
  const isUtf8 = utf8.replacements === 0 || isDamagedUtf8(utf8);
  // Hardly any text of a single-byte encoding is well-formed UTF-8 by chance, so a wrong declaration is more likely.
  if (label !== undefined && label !== 'utf-8' && !(isUtf8 && /^(windows|iso)-/.test(label)))
    return decodeAs(bytes, label);
  const wide = utf16WithoutMark(bytes);
  if (wide !== undefined) return decodeAs(bytes, wide);
  return isUtf8 ? utf8 : decodeAs(bytes, detected(bytes));
}

/** The charset of a media type, such as `text/html; charset=iso-8859-1`. */
export function charsetOfMediaType(mediaType: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(mediaType ?? '')?.[1];
}

/** The encoding that an XML declaration or a `meta` element among the first 4,096 bytes gives. */
export function charsetOfMarkup(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 4096));
  return (/^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)/i.exec(start) ??
    /<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([\w.:-]+)/i.exec(start))?.[1];
}

/** How the file starts if it has a byte order mark. UTF-32 before UTF-16, whose mark is the first half of its own. */
export function byteOrderMark(bytes: Uint8Array): { encoding: string; length: number } | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: 'utf-8', length: 3 };
  if (a === 0xff && b === 0xfe && c === 0 && d === 0) return { encoding: 'utf-32le', length: 4 };
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return { encoding: 'utf-32be', length: 4 };
  if (a === 0xff && b === 0xfe) return { encoding: 'utf-16le', length: 2 };
  if (a === 0xfe && b === 0xff) return { encoding: 'utf-16be', length: 2 };
  return undefined;
}

/** UTF-16 by its zeros: most characters of most texts have a zero as one of their two bytes, always the same one. */
export function utf16WithoutMark(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const sample = bytes.subarray(0, SAMPLE);
  if (sample.length < 4 || bytes.length % 2 === 1) return undefined;
  const zeros: [number, number] = [0, 0];
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at % 2 === 0 ? 0 : 1] += 1;
  const [even, odd] = zeros;
  const half = sample.length / 2;
  if (odd > half * 0.6 && even === 0) return 'utf-16le';
  return even > half * 0.6 && odd === 0 ? 'utf-16be' : undefined;
}

function decodeAs(bytes: Uint8Array, encoding: string): DecodedText {
  const isUtf32 = encoding.startsWith('utf-32');
  const decoded = isUtf32 ? utf32(bytes, encoding.endsWith('le')) : new TextDecoder(encoding).decode(bytes);
  const replacements = Math.max(0, count(decoded, REPLACEMENT) - writtenReplacements(bytes, encoding));
  const text = encoding === 'windows-1252' ? withoutControls(decoded) : decoded;
  return { text: text.replace(/\r\n?/g, '\n'), encoding: isUtf32 ? 'utf-32' : encoding, replacements };
}

/** A U+FFFD that the file itself contains is not counted as a decoding loss. */
function writtenReplacements(bytes: Uint8Array, encoding: string): number {
  if (encoding !== 'utf-8') return 0;
  let found = 0;
  for (let at = bytes.indexOf(0xef); at !== -1; at = bytes.indexOf(0xef, at + 1))
    if (bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd) found += 1;
  return found;
}

function isDamagedUtf8({ text, replacements }: DecodedText): boolean {
  let wellFormed = 0;
  for (const [found] of text.matchAll(/[^\0-\u007F\uFFFD]+/g)) wellFormed += found.length;
  return wellFormed >= replacements * DAMAGE;
}

/** TextDecoder does not know UTF-32. */
function utf32(bytes: Uint8Array, isLittleEndian: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 4) {
    const point = at + 4 <= bytes.length ? view.getUint32(at, isLittleEndian) : Number.NaN;
    const isScalar = point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff);
    parts.push(isScalar ? String.fromCodePoint(point) : REPLACEMENT);
  }
  return parts.join('');
}

function knownEncoding(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    const { encoding } = new TextDecoder(label.trim());
    // Without the mark that UTF-16 needs, a declaration that could be read up to here is wrong: it was read byte by byte.
    return encoding.startsWith('utf-16') ? undefined : encoding;
  } catch {
    return undefined;
  }
}

/** The likeliest encoding that TextDecoder knows; windows-1252 if others of the West and of Europe are hardly likelier. */
function detected(bytes: Uint8Array): string {
  const matches = analyse(sampleOf(bytes)).flatMap(({ name, confidence }) => {
    const encoding = knownEncoding(name);
    return encoding === undefined || encoding === 'utf-8' ? [] : [{ encoding, confidence }];
  });
  const [best] = matches;
  if (!best) return 'windows-1252';
  const western = matches.find(({ encoding }) => encoding === 'windows-1252');
  const isOfEurope = /^(windows-125[0-8]|iso-8859-\d+)$/.test(best.encoding);
  return western && isOfEurope && best.confidence - western.confidence < CONFIDENCE_MARGIN
    ? 'windows-1252'
    : best.encoding;
}

/** The bytes from the first that is not ASCII: what comes before tells nothing. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte >= 0x80);
  const from = Math.max(0, first - SAMPLE / 8);
  return bytes.subarray(from, from + SAMPLE);
}

function count(text: string, character: string): number {
  let found = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) found += 1;
  return found;
}
