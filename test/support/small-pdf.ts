/** Text on a page of A4: points from the left and from the top to the baseline. */
export interface PdfRun {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size?: number;
  readonly font?: 'regular' | 'bold' | 'code' | 'japanese';
}

export interface PdfPageContent {
  readonly runs: readonly PdfRun[];
  /** A grey picture over the page. */
  readonly hasPicture?: boolean;
}

const fonts = {
  regular: '/Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding',
  bold: '/Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding',
  code: '/Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding',
  japanese:
    '/Type /Font /Subtype /Type0 /BaseFont /HeiseiMin-W3 /Encoding /UniJIS-UTF16-H /DescendantFonts [<< /Type /Font ' +
    '/Subtype /CIDFontType0 /BaseFont /HeiseiMin-W3 /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /DW 1000 ' +
    '/FontDescriptor << /Type /FontDescriptor /FontName /HeiseiMin-W3 /Flags 4 /FontBBox [-123 -257 1001 910] /ItalicAngle 0 ' +
    '/Ascent 709 /Descent -241 /CapHeight 709 /StemV 69 >> >>]',
} as const;

/** A PDF of those pages. `info` is the text of its dictionary of properties. */
export function smallPdf(pages: readonly PdfPageContent[], info = ''): Uint8Array {
  const names = Object.keys(fonts);
  const firstPage = 4 + names.length;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, index) => `${firstPage + 2 * index} 0 R`).join(' ')}] >>`,
    `<< ${info} >>`,
    ...Object.values(fonts).map((font) => `<< ${font} >>`),
    ...pages.flatMap((page, index) => {
      const content = streamOf(page);
      const resources = names.map((name, at) => `/${name} ${4 + at} 0 R`).join(' ');
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${firstPage + 2 * index + 1} 0 R /Resources << /Font << ${resources} >> >> >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = file.length;
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 3 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return new Uint8Array(Buffer.from(file, 'latin1'));
}

function streamOf({ runs, hasPicture = false }: PdfPageContent): string {
  const picture = 'q 595 0 0 842 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x7F EI Q\n';
  const texts = runs.map(({ text, x, y, size = 10, font = 'regular' }) => {
    const string =
      font === 'japanese'
        ? `<${[...Buffer.from(text, 'utf16le').swap16()].map((byte) => byte.toString(16).padStart(2, '0')).join('')}>`
        : `(${text.replaceAll(/[\\()]/g, String.raw`\$&`).replaceAll('•', '\u0095')})`;
    return `BT /${font} ${size} Tf 1 0 0 1 ${x} ${842 - y} Tm ${string} Tj ET`;
  });
  return (hasPicture ? picture : '') + texts.join('\n');
}

/** Lines of text below each other. */
export function pdfLines(lines: readonly string[], x: number, y: number, leading = 13): PdfRun[] {
  return lines.map((text, index) => ({ text, x, y: y + index * leading }));
}
