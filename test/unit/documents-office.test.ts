import { describe, expect, it } from 'vitest';
import { readDocx } from '../../src/adapters/documents/docx.ts';
import { readEpub } from '../../src/adapters/documents/epub.ts';
import { readPptx } from '../../src/adapters/documents/pptx.ts';
import { packageRelationships, relationships, smallPackage } from '../support/small-package.ts';

const w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

function docx(body: string, parts: Readonly<Record<string, string>> = {}): Uint8Array {
  return smallPackage({
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
    '_rels/.rels': packageRelationships('word/document.xml'),
    'word/document.xml': `<w:document ${w}><w:body>${body}</w:body></w:document>`,
    'word/_rels/document.xml.rels': relationships([
      { id: 'rId1', type: 'footnotes', target: 'footnotes.xml' },
      { id: 'rId2', type: 'styles', target: 'styles.xml' },
    ]),
    'word/styles.xml': `<w:styles ${w}><w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    'word/footnotes.xml': `<w:footnotes ${w}><w:footnote w:id="2"><w:p><w:r><w:t>In winter by bus.</w:t></w:r></w:p></w:footnote></w:footnotes>`,
    ...parts,
  });
}

const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const heading = (text: string) => `<w:p><w:pPr><w:pStyle w:val="H1"/></w:pPr>${run(text)}</w:p>`;

describe('readDocx', () => {
  it('takes tracked changes as accepted and puts notes behind their paragraph', async () => {
    const { title, blocks } = await readDocx({
      bytes: docx(
        `${heading('Ferry')}<w:p>${run('The ferry costs ')}<w:ins w:id="1">${run('four')}</w:ins>` +
          `<w:del w:id="2"><w:r><w:delText>three</w:delText></w:r></w:del>${run(' units.')}` +
          `<w:r><w:footnoteReference w:id="2"/></w:r></w:p>${heading('Bus')}<w:p>${run('It is late.')}</w:p>`,
      ),
    });
    expect(title).toBe('Ferry');
    expect(blocks).toEqual([
      { kind: 'heading', level: 1, text: 'Ferry' },
      { kind: 'text', text: 'The ferry costs four units.' },
      { kind: 'text', text: 'In winter by bus.' },
      { kind: 'heading', level: 1, text: 'Bus' },
      { kind: 'text', text: 'It is late.' },
    ]);
  });

  it('refuses an encrypted file and one that was cut', async () => {
    const header = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
    const encrypted = Buffer.concat([header, Buffer.from('EncryptedPackage', 'utf16le')]);
    await expect(readDocx({ bytes: encrypted })).rejects.toMatchObject({
      code: 'document-unreadable',
      message: expect.stringContaining('password') as string,
    });
    const whole = docx(`<w:p>${run('Text')}</w:p>`);
    await expect(readDocx({ bytes: whole.subarray(0, whole.length / 2) })).rejects.toMatchObject({
      code: 'document-unreadable',
    });
  });
});

const p = 'xmlns:p="p" xmlns:a="a" xmlns:r="r"';
const paragraphs = (texts: readonly string[]) =>
  texts.map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`).join('');
const shape = (type: string, texts: readonly string[]) =>
  `<p:sp><p:nvSpPr><p:nvPr><p:ph ${type}/></p:nvPr></p:nvSpPr><p:txBody>${paragraphs(texts)}</p:txBody></p:sp>`;
const slide = (content: string, attributes = '') =>
  `<p:sld ${p} ${attributes}><p:cSld><p:spTree>${content}</p:spTree></p:cSld></p:sld>`;
const cell = (text: string) => `<a:tc><a:txBody>${paragraphs([text])}</a:txBody></a:tc>`;

function pptx(slides: readonly string[], notes = 'Speak slowly.'): Uint8Array {
  const files = slides.map((content, index) => [`ppt/slides/slide${index + 1}.xml`, content] as const);
  return smallPackage({
    '_rels/.rels': packageRelationships('ppt/presentation.xml'),
    'ppt/presentation.xml': `<p:presentation ${p}><p:sldIdLst>${files
      .map((_, index) => `<p:sldId id="${300 - index}" r:id="rId${index + 1}"/>`)
      .join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relationships(
      files.map((_, index) => ({
        id: `rId${index + 1}`,
        type: 'slide',
        target: `slides/slide${index + 1}.xml`,
      })),
    ),
    ...Object.fromEntries(files),
    'ppt/slides/_rels/slide1.xml.rels': relationships([
      { id: 'rId1', type: 'notesSlide', target: '../notesSlides/notesSlide1.xml' },
    ]),
    'ppt/notesSlides/notesSlide1.xml': `<p:notes ${p}><p:cSld><p:spTree>${shape('type="body"', [notes])}${shape('type="sldNum"', ['1'])}</p:spTree></p:cSld></p:notes>`,
  });
}

describe('readPptx', () => {
  it('reads titles, lists, tables, notes and hidden slides', async () => {
    const table = `<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr>${cell('Who')}${cell('When')}</a:tr><a:tr>${cell('Cook')}${cell('13:00')}</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
    const { title, blocks, pages } = await readPptx({
      bytes: pptx([
        slide(
          shape('idx="1"', ['Soup', 'Bread']) +
            shape('type="title"', ['Lunch']) +
            shape('type="ftr"', ['Canteen']),
        ),
        slide(shape('type="title"', ['Times']) + table + shape('type="ftr"', ['Canteen'])),
        slide(shape('type="title"', ['Draft']), 'show="0"'),
        slide('<p:pic><a:blip/></p:pic>'),
      ]),
    });
    expect(title).toBe('Lunch');
    expect(blocks).toEqual([
      { kind: 'heading', level: 2, text: 'Lunch', page: 1 },
      { kind: 'text', text: '- Soup\n- Bread', page: 1 },
      { kind: 'text', text: 'Speak slowly.', page: 1 },
      { kind: 'heading', level: 2, text: 'Times', page: 2 },
      { kind: 'table', header: ['Who', 'When'], rows: [['Cook', '13:00']], page: 2 },
      { kind: 'heading', level: 2, text: 'Draft', page: 3, isHidden: true },
    ]);
    expect(pages).toEqual({ total: 4, empty: [], withoutText: [4] });
  });

  it('refuses a presentation of pictures', async () => {
    await expect(readPptx({ bytes: pptx([slide('<p:pic><a:blip/></p:pic>')], '') })).rejects.toMatchObject({
      code: 'document-unreadable',
    });
  });
});

function epub(opf: string, parts: Readonly<Record<string, string>>): Uint8Array {
  return smallPackage({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml':
      '<container><rootfiles><rootfile full-path="book/content.opf"/></rootfiles></container>',
    'book/content.opf': `<package xmlns:dc="dc">${opf}</package>`,
    ...parts,
  });
}

const metadata =
  '<metadata><dc:title>The ferryman</dc:title><dc:language>en-GB</dc:language><dc:date>2019</dc:date></metadata>';
const page = (body: string) =>
  `<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>${body}</body></html>`;

describe('readEpub', () => {
  it('follows the spine and leaves out the navigation', async () => {
    const links = ['one', 'two', 'three']
      .map((name) => `<li><a href="${name}.xhtml">Chapter ${name}</a></li>`)
      .join('');
    const content = await readEpub({
      bytes: epub(
        `${metadata}<manifest><item id="a" href="text%20a.xhtml" media-type="application/xhtml+xml"/>` +
          '<item id="b" href="b.xhtml" media-type="application/xhtml+xml"/><item id="n" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>' +
          '<item id="t" href="toc.xhtml" media-type="application/xhtml+xml"/></manifest>' +
          '<spine><itemref idref="n"/><itemref idref="t"/><itemref idref="b"/><itemref idref="a"/></spine>',
        {
          'book/text a.xhtml': page('<p>He rowed on.</p>'),
          'book/b.xhtml': page('<h1>Morning</h1><a id="x"/><p>He rowed.</p>'),
          'book/nav.xhtml': page(
            '<nav xmlns:epub="e" epub:type="toc"><a href="text%20a.xhtml">Evening</a></nav>',
          ),
          'book/toc.xhtml': page(`<ol>${links}</ol>`),
        },
      ),
    });
    expect(content).toMatchObject({ title: 'The ferryman', language: 'en-GB', contentType: 'article' });
    expect(content.occurredAt).toBeUndefined();
    expect(content.blocks).toEqual([
      { kind: 'heading', level: 1, text: 'Morning' },
      { kind: 'text', text: 'He rowed.' },
      { kind: 'heading', level: 1, text: 'Evening' },
      { kind: 'text', text: 'He rowed on.' },
    ]);
  });

  it('names a chapter that is missing, and refuses an encrypted book', async () => {
    const opf = '<manifest><item id="a" href="a.xhtml"/></manifest><spine><itemref idref="a"/></spine>';
    await expect(readEpub({ bytes: epub(opf, {}) })).rejects.toThrow('book/a.xhtml is missing');
    const encryption =
      '<encryption><EncryptedData><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/></EncryptedData></encryption>';
    const locked = epub(opf, { 'book/a.xhtml': page('x'), 'META-INF/encryption.xml': encryption });
    await expect(readEpub({ bytes: locked })).rejects.toThrow('encrypted');
  });
});
