import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { decodeText, charsetOfMarkup, charsetOfMediaType } from '../../src/adapters/documents/decode.ts';
import { detectFormat } from '../../src/adapters/documents/detect.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const utf16 = (text: string) => new Uint8Array(Buffer.from(text, 'utf16le'));
const kindOf = (content: string | Uint8Array, filename?: string, mediaType?: string) =>
  detectFormat({ bytes: typeof content === 'string' ? bytesOf(content) : content, filename, mediaType }).kind;
const zip = (...names: string[]) => zipSync(Object.fromEntries(names.map((name) => [name, strToU8('x')])));
const problemOf = (content: string | Uint8Array, filename?: string) => {
  try {
    return kindOf(content, filename);
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('a format', () => {
  it('is told by the bytes, whatever the name and the declared type', () => {
    expect(kindOf('%PDF-1.7\n%…', 'rules.txt', 'text/plain')).toBe('pdf');
    expect(kindOf('<!-- saved -->\n<!DOCTYPE html><html><p>x</p></html>', 'notes.md')).toBe('html');
    expect(kindOf('<h1>Notes</h1>\n<p>One.</p>\n<p>Two.</p>', 'notes.md')).toBe('html');
    expect(kindOf('<?xml version="1.0"?><rss version="2.0"></rss>', 'news.txt')).toBe('feed');
    expect(kindOf('<feed xmlns="http://www.w3.org/2005/Atom"></feed>', 'a.xml', 'text/xml')).toBe('feed');
    expect(kindOf('From: Ada <ada@example.org>\nMessage-ID: <1@x>\nSubject: Keys\n\nHello', 'm.txt')).toBe(
      'mail',
    );
    expect(kindOf('{"a": [1, 2]}', 'a.txt')).toBe('json');
    expect(kindOf('{"a": 1}\n{"a": 2}\n', 'a.txt')).toBe('jsonl');
    expect(kindOf('#!/usr/bin/env python3\nprint(1)\n', 'tool')).toBe('code');
  });

  it('is told by the members of a zip file, also of a damaged one', () => {
    expect(kindOf(zip('[Content_Types].xml', 'word/document.xml'), 'a.zip')).toBe('docx');
    expect(kindOf(zip('[Content_Types].xml', 'ppt/presentation.xml'))).toBe('pptx');
    expect(kindOf(zip('[Content_Types].xml', 'xl/workbook.xml'))).toBe('xlsx');
    expect(kindOf(zip('mimetype', 'META-INF/container.xml'))).toBe('epub');
    const whole = zip('[Content_Types].xml', 'word/document.xml', 'word/styles.xml');
    expect(kindOf(whole.slice(0, whole.length / 2))).toBe('docx');
  });

  it('is the declared or named one where the bytes leave it open', () => {
    expect(kindOf('# Title\n\nText with <b>tags</b>.\n', 'a.md', 'text/plain')).toBe('markdown');
    expect(kindOf('<p align="center">Logo</p>\n\n# Title\n\nText.\n\n## More\n\nText.\n', 'README.md')).toBe(
      'markdown',
    );
    expect(kindOf('a,b\n1,2\n', 'a', 'text/csv; charset=utf-8')).toBe('csv');
    expect(kindOf('export default [1];\n', 'a.ts', 'video/mp2t')).toBe('code');
    expect(kindOf('[1, 2]', 'a.js')).toBe('code');
    expect(kindOf('<template><p>x</p></template>', 'a.vue')).toBe('code');
    expect(detectFormat({ bytes: bytesOf('SELECT 1;'), mediaType: 'application/sql' })).toEqual({
      kind: 'code',
      mediaType: 'application/sql',
      programmingLanguage: 'sql',
    });
  });

  it('of a text with a name that says nothing is what it looks like', () => {
    expect(kindOf('# One\n\nText.\n\n## Two\n\nText.\n\n### Three\n\nText.\n', 'a.txt')).toBe('markdown');
    expect(kindOf('a;b;c\n1;2;3\n4;5;6\n', 'export.txt')).toBe('csv');
    expect(kindOf('Dear all, the shed, the gate and the pump stay closed.\n\nAda\n', 'a.txt')).toBe('text');
    expect(kindOf('', 'empty.txt')).toBe('text');
    expect(kindOf('[draft] of a letter', 'a.txt')).toBe('text');
  });

  it('is refused if it is JSON that breaks off, and code if it is no JSON', () => {
    const whole = JSON.stringify({ cells: [{ source: ['a "quoted" text'] }], nbformat: 4, on: true });
    for (const length of [1, 9, 20, 30, whole.length - 12, whole.length - 1])
      for (const name of ['book.ipynb', 'data.json'])
        expect(problemOf(whole.slice(0, length), name), whole.slice(0, length)).toBe('document-unreadable');
    expect(kindOf(whole, 'book.ipynb')).toBe('notebook');
    expect(kindOf('{\n  // settings\n  "strict": true,\n}\n', 'tsconfig.json')).toBe('code');
    expect(kindOf('not json', 'data.json')).toBe('code');
  });

  it('is refused if it is binary and not read', () => {
    expect(problemOf(latin1('\x7FELF\x02\x01'), 'noise.txt')).toBe('unsupported-document');
    expect(problemOf(latin1('\x89PNG\r\n\x1A\n'))).toBe('unsupported-document');
    expect(problemOf(zip('a.txt'))).toBe('unsupported-document');
    expect(problemOf(Uint8Array.from({ length: 999 }, (_, at) => (at * 167 + (at >> 3)) % 256))).toBe(
      'unsupported-document',
    );
    expect(problemOf('<svg xmlns="http://www.w3.org/2000/svg"/>')).toBe('unsupported-document');
    const encrypted = new Uint8Array([
      ...latin1('\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1'),
      ...utf16('EncryptedPackage'),
    ]);
    expect(problemOf(encrypted)).toBe('document-unreadable');
  });
});

describe('a text', () => {
  it('is decoded by its byte order mark', () => {
    expect(decodeText(utf16('\uFEFFkeys\r\nof Öhring'))).toEqual({
      text: 'keys\nof Öhring',
      encoding: 'utf-16le',
      replacements: 0,
    });
    expect(decodeText(new Uint8Array([0xef, 0xbb, 0xbf, 0x61])).text).toBe('a');
    expect(decodeText(new Uint8Array([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0])).text).toBe('a');
    expect(decodeText(new Uint8Array([0, 0, 0xfe, 0xff, 0, 1, 0xf6, 0])).text).toBe('😀');
  });

  it('is decoded as UTF-16 without a mark, too', () => {
    expect(decodeText(utf16('Nine keys to the shed')).text).toBe('Nine keys to the shed');
  });

  it('is decoded as declared, unless it is UTF-8 in truth', () => {
    expect(decodeText(latin1('f\xFCr 5 \x80'), 'windows-1252').text).toBe('für 5 €');
    expect(decodeText(latin1('\x82\xA0'), 'shift_jis').text).toBe('あ');
    expect(decodeText(bytesOf('für'), 'iso-8859-1').text).toBe('für');
    expect(decodeText(bytesOf('für'), 'no-such-charset').text).toBe('für');
  });

  it('is decoded by a guess if it is no UTF-8', () => {
    const text = 'Die Größe der Beete wächst, und die Schlüssel hängen über der Tür des Bäckers.';
    expect(decodeText(latin1(text))).toEqual({ text, encoding: 'windows-1252', replacements: 0 });
  });

  it('says how many characters were lost, and counts none that stood there', () => {
    const damaged = new Uint8Array([
      ...bytesOf('Größe, Schlüssel, Tür, Bäcker: '),
      0xff,
      ...bytesOf(' ü \uFFFD'),
    ]);
    expect(decodeText(damaged)).toEqual({
      text: 'Größe, Schlüssel, Tür, Bäcker: \uFFFD ü \uFFFD',
      encoding: 'utf-8',
      replacements: 1,
    });
  });

  it('declares its encoding in a media type, an XML declaration or a meta element', () => {
    expect(charsetOfMediaType('text/html; charset="ISO-8859-1"')).toBe('ISO-8859-1');
    expect(charsetOfMarkup(bytesOf('<?xml version="1.0" encoding="koi8-r"?><a/>'))).toBe('koi8-r');
    expect(
      charsetOfMarkup(bytesOf('<meta http-equiv="Content-Type" content="text/html; charset=windows-1252">')),
    ).toBe('windows-1252');
  });
});
