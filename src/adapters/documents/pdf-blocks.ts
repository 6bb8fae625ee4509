import type { Block } from '../../domain/documents/content.ts';
import { columnsOf } from './pdf-columns.ts';
import { isContentsTitle, withoutContents } from './pdf-contents.ts';
import type { Line } from './pdf-lines.ts';
import { paragraphsOf, type Paragraph } from './pdf-paragraphs.ts';
import { tableTextOf, type TableText } from './pdf-rows.ts';
import { isCaption, levelsOf, stylesOf } from './pdf-styles.ts';
import { partsOf, type Grid, type Part } from './pdf-tables.ts';
import { endsSentence, joinLines, wordsOf } from './pdf-words.ts';

/** A page whose lines are sorted into running text and tables. */
interface PageParts {
  readonly page: number;
  readonly parts: readonly Part[];
  /** The first part is a table that the page before began. */
  readonly continues: boolean;
  readonly hasContents: boolean;
}

type Piece =
  (Paragraph & { readonly page: number }) | ({ readonly kind: 'table'; readonly page: number } & TableText);

/** Text that the layout of a document says more about than its blocks do. */
export interface PdfText {
  readonly blocks: readonly Block[];
  /** The largest text of the first page that has text. */
  readonly largest: string | undefined;
}

/** Blocks of the pages of a document in reading order; `pages` are the lines of each page without running lines. */
export function blocksOfPages(pages: readonly (readonly Line[])[]): PdfText {
  const parts = partsOfPages(pages);
  const flows = parts.flatMap((page) =>
    page.parts.flatMap((part) => (part.kind === 'lines' ? [part.lines] : [])),
  );
  const everything = parts.flatMap((page) => page.parts.flatMap((part) => part.lines));
  const styles = stylesOf(flows.length > 0 ? flows : [everything]);
  const words = wordsOf(everything.map(({ text }) => text));
  const pieces: Piece[] = [];
  let table: TableText | undefined;
  for (const { page, parts: onPage, continues, hasContents } of parts) {
    for (const [index, part] of onPage.entries()) {
      if (part.kind === 'grid') {
        table = tableTextOf(part, words, index === 0 && continues ? table : undefined);
        pieces.push({ kind: 'table', page, ...table });
      } else {
        const found = paragraphsOf(part.lines, part.columns, styles, words);
        const kept = hasContents ? found.filter(({ text }) => !isContentsTitle(text)) : found;
        pieces.push(...kept.map((paragraph) => ({ ...paragraph, page })));
      }
    }
  }
  const joined = joinedAcrossPages(pieces, words);
  return { blocks: asBlocks(joined), largest: largestOf(joined) };
}

function partsOfPages(pages: readonly (readonly Line[])[]): PageParts[] {
  const result: PageParts[] = [];
  let before: Grid | undefined;
  for (const [index, lines] of pages.entries()) {
    const left = withoutContents(lines, pages.length);
    const flows = columnsOf(left);
    const parts: Part[] = [];
    for (const [column, flow] of flows.entries())
      parts.push(...partsOf(flow, column === 0 ? before : undefined));
    const [first] = parts;
    const continues = before !== undefined && first?.kind === 'grid' && isSameGrid(before, first);
    result.push({
      page: index + 1,
      parts: merged(parts),
      continues,
      hasContents: left.length < lines.length,
    });
    const last = parts.at(-1);
    // Pages without lines, such as one with a picture, do not end a table.
    if (last) before = last.kind === 'grid' ? last : undefined;
  }
  return result;
}

/** Texts of columns that follow each other are one flow, so that a sentence can go on in the next column. */
function merged(parts: readonly Part[]): Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (last?.kind === 'lines' && part.kind === 'lines') {
      result[result.length - 1] = {
        kind: 'lines',
        lines: [...last.lines, ...part.lines],
        columns: [...last.columns, ...part.columns],
      };
    } else result.push(part);
  }
  return result;
}

function isSameGrid(before: Grid, grid: Grid): boolean {
  return (
    before.separators.length === grid.separators.length &&
    before.separators.every(({ left, right }, index) => {
      const other = grid.separators[index]!;
      return left < other.right && right > other.left;
    })
  );
}

/** A word that was hyphenated at the end of a page belongs to that page as a whole. */
function joinedAcrossPages(pieces: readonly Piece[], words: ReadonlySet<string>): Piece[] {
  const result: Piece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    const isBroken =
      last?.kind === 'text' &&
      piece.kind === 'text' &&
      last.page !== piece.page &&
      /\p{L}[-\u2010\u00AD]$/u.test(last.text);
    const [, rest = '', others = ''] = isBroken ? (/^(\p{Ll}[^\s]*)\s*([^]*)$/u.exec(piece.text) ?? []) : [];
    if (rest === '' || last?.kind !== 'text' || piece.kind !== 'text') {
      result.push(piece);
      continue;
    }
    result[result.length - 1] = { ...last, text: joinLines(last.text, rest, words) };
    if (others !== '') result.push({ ...piece, text: others });
  }
  return result;
}

function asBlocks(pieces: readonly Piece[]): Block[] {
  const levelOf = levelsOf(pieces.flatMap((piece) => (piece.kind === 'heading' ? [piece] : [])));
  const blocks: Block[] = [];
  let wasItem = false;
  for (const [index, piece] of pieces.entries()) {
    const { page } = piece;
    const last = blocks.at(-1);
    if (piece.kind === 'item' && wasItem && last?.kind === 'text' && last.page === page) {
      blocks[blocks.length - 1] = { ...last, text: `${last.text}\n${piece.text}` };
    } else if (piece.kind === 'table') {
      const caption = captionOf(pieces[index - 1], page);
      if (caption !== undefined) blocks.pop();
      blocks.push({
        kind: 'table',
        ...(caption !== undefined && { caption }),
        header: piece.header,
        rows: piece.rows,
        page,
      });
    } else if (piece.kind === 'heading') {
      blocks.push({ kind: 'heading', level: levelOf(piece), text: piece.text, page });
    } else {
      blocks.push({ kind: piece.kind === 'code' ? 'code' : 'text', text: piece.text, page });
    }
    wasItem = piece.kind === 'item';
  }
  return blocks;
}

/** The words above a table that say what it shows. */
function captionOf(piece: Piece | undefined, page: number): string | undefined {
  return piece?.kind === 'text' && piece.page === page && isCaption(piece.text) ? piece.text : undefined;
}

function largestOf(pieces: readonly Piece[]): string | undefined {
  const first = pieces.find((piece) => piece.kind !== 'table')?.page;
  const texts = pieces.filter((piece) => piece.kind !== 'table' && piece.page === first);
  const sized = texts.flatMap((piece) => (piece.kind === 'table' || piece.kind === 'code' ? [] : [piece]));
  const size = Math.max(...sized.map((piece) => piece.size));
  const text = sized.find((piece) => piece.size === size && /\p{L}{2}/u.test(piece.text))?.text;
  return text !== undefined && text.length <= 200 && !(text.length > 100 && endsSentence(text))
    ? text
    : undefined;
}
