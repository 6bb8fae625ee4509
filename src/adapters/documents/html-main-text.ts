import defuddle from 'defuddle';
import type { Block } from '../../domain/documents/content.ts';
import { blocksOfHtml } from './html-blocks.ts';
import { parseDocument } from './html-dom.ts';

/** The package is CommonJS whose exports are the class itself, unlike its types. Its entry for Node needs optional packages. */
const Defuddle = defuddle as unknown as new (
  document: unknown,
  options: object,
) => { parse(): { readonly content: string } };

/** The extraction takes time that grows faster than the page. */
const maxLength = 1_000_000;
/** If less of the text is left, the extraction took a part of the page for all of it. */
const minShare = 0.7;
/** Paragraphs of this many letters are text wherever they stand, and so are tables, code and what stands between two kept blocks. */
const longText = 140;

/**
 * Drops the blocks at the start and at the end that an extraction of the main text leaves out too. It judges a page by its layout, and
 * `blocks` are what the names of the elements leave: a block is dropped where both doubt it.
 */
export function mainTextOf(html: string, blocks: readonly Block[]): Block[] {
  const extracted = html.length > maxLength ? undefined : extract(html);
  if (extracted === undefined) return [...blocks];
  const main = words(blocksOfHtml(extracted).map(textOf).join(' '));
  let from = 0;
  const isMain = blocks.map((block) => {
    const own = words(textOf(block));
    // Nearly always further on: pages are long, and searching them from their start for each block takes seconds.
    const found = main.indexOf(own, from);
    if (found !== -1) from = found + own.length;
    return found !== -1 || main.includes(own);
  });
  const length = (picked: readonly Block[]): number =>
    picked.reduce((sum, block) => sum + textOf(block).length, 0);
  if (length(blocks.filter((_, index) => isMain[index])) < length(blocks) * minShare) return [...blocks];
  const first = isMain.indexOf(true);
  const last = isMain.lastIndexOf(true);
  const isLong = (block: Block): boolean =>
    block.kind === 'table' || block.kind === 'code' || textOf(block).length > longText;
  return blocks.filter((block, index) => {
    if (index >= first && index <= last) return true;
    // A title that the extraction takes away, as it is in its answer apart, is still a heading of the text.
    if (block.kind === 'heading') return index < first || blocks.slice(index + 1).some(isLong);
    return isLong(block);
  });
}

function extract(html: string): string | undefined {
  // The extraction logs what it makes of pages that it does not understand.
  const { error, warn, log } = console;
  const silent = (): void => {};
  Object.assign(console, { error: silent, warn: silent, log: silent });
  try {
    const document = parseDocument(html);
    const options = {
      url: 'https://page.invalid/',
      standardize: false,
      removeContentPatterns: true,
      useAsync: false,
    };
    return new Defuddle(document, options).parse().content;
  } catch {
    return undefined;
  } finally {
    Object.assign(console, { error, warn, log });
  }
}

function textOf(block: Block): string {
  return block.kind === 'table' ? [block.header, ...block.rows].flat().join(' ') : block.text;
}

/** Letters and digits alone, so that marks and white space make no difference. */
function words(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
}
