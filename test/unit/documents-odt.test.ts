import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { readDocument } from '../../src/adapters/documents/read-document.ts';

const type = 'application/vnd.oasis.opendocument.text';

function odt(body: string, { mimetype = type, more = {} as Record<string, string> } = {}) {
  const parts = {
    mimetype,
    'content.xml': `<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b" xmlns:draw="d"><office:body><office:text>${body}</office:text></office:body></office:document-content>`,
    'meta.xml':
      '<office:document-meta xmlns:dc="d"><office:meta><dc:title>Harbour rules</dc:title><dc:creator>Ada</dc:creator><dc:date>2026-05-04T09:30:00</dc:date><dc:language>en-GB</dc:language></office:meta></office:document-meta>',
    ...more,
  };
  const files = Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)]));
  return { bytes: zipSync(files, { level: 0 }), filename: 'rules.odt' };
}

const cell = (text: string, attributes = '') =>
  `<table:table-cell ${attributes}><text:p>${text}</text:p></table:table-cell>`;

describe('an OpenDocument text', () => {
  it('is read by headings, with lists, tables, notes and spaces', async () => {
    const file = odt(
      '<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>' +
        '<text:h text:outline-level="1">Moorings</text:h>' +
        '<text:p>Boats<text:s text:c="2"/>moor &amp;<text:tab/>wait.<text:line-break/>Here<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Since May</text:p></text:note-body></text:note><office:annotation><text:p>no</text:p></office:annotation></text:p>' +
        '<text:list><text:list-item><text:p>North</text:p><text:list><text:list-item><text:p>Pier 1</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>South</text:p></text:list-item></text:list>' +
        '<text:section><text:h text:outline-level="2">Prices</text:h></text:section>' +
        `<table:table><table:table-header-rows><table:table-row>${cell('Port')}${cell('Euro')}</table:table-row></table:table-header-rows><table:table-row>${cell('Faro')}${cell('14')}<table:table-cell table:number-columns-repeated="16000"/></table:table-row><table:table-row>${cell('both', 'table:number-columns-spanned="2"')}<table:covered-table-cell/></table:table-row></table:table>` +
        '<text:table-of-content><text:p>Moorings 1</text:p></text:table-of-content>' +
        '<text:p><draw:frame><draw:text-box><text:p>In a box</text:p></draw:text-box></draw:frame></text:p>',
    );
    expect(await readDocument(file)).toMatchObject({
      mediaType: type,
      contentType: 'documentation',
      title: 'Harbour rules',
      language: 'en-GB',
      metadata: { author: 'Ada' },
      blocks: [
        { kind: 'heading', level: 1, text: 'Moorings' },
        { kind: 'text', text: 'Boats  moor & wait.\nHere (Since May)' },
        { kind: 'text', text: '- North\n  - Pier 1\n- South' },
        { kind: 'heading', level: 2, text: 'Prices' },
        {
          kind: 'table',
          header: ['Port', 'Euro'],
          rows: [
            ['Faro', '14'],
            ['both', 'both'],
          ],
        },
        { kind: 'text', text: 'In a box' },
      ],
    });
  });

  it('that is encrypted, damaged or of another kind is refused', async () => {
    const manifest =
      '<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>';
    const locked = odt('', { more: { 'META-INF/manifest.xml': manifest } });
    await expect(readDocument(locked)).rejects.toMatchObject({
      code: 'document-unreadable',
      message: expect.stringContaining('password'),
    });
    const sheet = odt('', { mimetype: 'application/vnd.oasis.opendocument.spreadsheet' });
    await expect(readDocument(sheet)).rejects.toMatchObject({ code: 'unsupported-document' });
    await expect(readDocument(odt('', { more: { 'content.xml': '<a' } }))).rejects.toMatchObject({
      code: 'document-unreadable',
    });
  });
});
