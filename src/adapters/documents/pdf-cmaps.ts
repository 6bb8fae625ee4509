/**
 * East Asian fonts that are not embedded name a table that turns the codes of the text into numbers of glyphs, and another one turns
 * those into Unicode. The library does not ship these tables, but reading text does not need the glyphs: here the number of a
 * glyph is its code in Unicode.
 */

/** Text encodings of the legacy tables. */
const encodings: readonly (readonly [pattern: RegExp, encoding: string, collection: string])[] = [
  [/^(?:83pv|90msp?|90pv|Add)-RKSJ-|^(?:Ext-)?RKSJ-/, 'shift_jis', 'Japan1'],
  [/^EUC-/, 'euc-jp', 'Japan1'],
  [/^GB/, 'gb18030', 'GB1'],
  [/^(?:B5pc|ETen-B5|ETenms-B5|HK\w*-B5)-|^HKscs/, 'big5', 'CNS1'],
  [/^KSC/, 'euc-kr', 'Korea1'],
];
const unicode = /^Uni(JIS|GB|CNS|KS)\w*-(UCS2|UTF16)-/;
const collections: Readonly<Record<string, string>> = { JIS: 'Japan1', GB: 'GB1', CNS: 'CNS1', KS: 'Korea1' };
const toUnicode = /^Adobe-(\w+)-UCS2$/;

/** Gives the library the tables that it asks for; one is made for each document. */
export class CMapFactory {
  /** Collections whose glyphs are numbered by their codes in this document. */
  readonly #renumbered = new Set<string>();

  /** Throws if it has no such table, which the library takes as a font without a map. */
  fetch({ kind, filename }: { readonly kind: string; readonly filename: string }): Promise<Uint8Array> {
    const cmap = kind === 'cMapUrl' ? this.#cmapOf(filename) : undefined;
    return cmap === undefined
      ? Promise.reject(new Error(`There is no table ${filename}`))
      : Promise.resolve(new TextEncoder().encode(cmap));
  }

  #cmapOf(name: string): string | undefined {
    const [, target] = toUnicode.exec(name) ?? [];
    if (target !== undefined) return this.#renumbered.has(target) ? identity('bfrange', '<0000>') : undefined;
    const [, script = ''] = unicode.exec(name) ?? [];
    const legacy = encodings.find(([pattern]) => pattern.test(name));
    const collection = collections[script] ?? legacy?.[2];
    if (collection === undefined) return undefined;
    this.#renumbered.add(collection);
    return script === '' && legacy ? legacyTable(legacy[1]) : identity('cidrange', '0');
  }
}

function identity(section: 'bfrange' | 'cidrange', first: string): string {
  return `1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n1 begin${section}\n<0000> <ffff> ${first}\nend${section}\n`;
}

/** Codes of one byte and of two, each with the character that it stands for. */
function legacyTable(encoding: string): string {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const lines: string[] = [];
  const singles: string[] = [];
  for (let first = 0; first <= 0xff; first++) {
    const single = decoded(decoder, [first]);
    if (single !== undefined) {
      singles.push(`<${hex(first)}> <${hex(first)}>`);
      lines.push(`<${hex(first)}> ${single}`);
      continue;
    }
    for (let second = 0x40; second <= 0xff; second++) {
      const pair = decoded(decoder, [first, second]);
      if (pair !== undefined) lines.push(`<${hex(first)}${hex(second)}> ${pair}`);
    }
  }
  const spaces = [...singles, '<8140> <feff>'];
  return `${spaces.length} begincodespacerange\n${spaces.join('\n')}\nendcodespacerange\n${lines.length} begincidchar\n${lines.join('\n')}\nendcidchar\n`;
}

/** The code of the one character that bytes stand for. */
function decoded(decoder: InstanceType<typeof TextDecoder>, bytes: readonly number[]): number | undefined {
  try {
    const text = decoder.decode(Uint8Array.from(bytes));
    const code = text.codePointAt(0);
    return code !== undefined && code <= 0xffff && text.length === 1 ? code : undefined;
  } catch {
    return undefined;
  }
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}
