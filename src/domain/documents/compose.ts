import type { Block, DocumentContent } from './content.ts';
import type { Piece } from './pieces.ts';
import { sectionsOf, type Section } from './sections.ts';

/** The text of a document and the sections that it is divided in. */
export interface ComposedDocument {
  /** The whole extracted text as Markdown; of source code, the source. */
  readonly text: string;
  /** In order; they do not overlap. */
  readonly sections: readonly Section[];
}

/** Writes the blocks of a document as one text and divides it into sections. Deterministic, in time linear in its length. */
export function composeDocument(content: DocumentContent): ComposedDocument {
  const isSource = content.contentType === 'code' || content.programmingLanguage !== undefined;
  const composer = new Composer(isSource);
  for (const block of content.blocks) composer.add(block);
  const text = composer.text();
  return { text, sections: sectionsOf(text, composer.pieces) };
}

interface Heading {
  readonly level: number;
  readonly text: string;
}

type BlockOf<Kind extends Block['kind']> = Extract<Block, { kind: Kind }>;
type PieceFields = Omit<Piece, 'run' | 'end'>;

class Composer {
  readonly pieces: Piece[] = [];
  readonly #isSource: boolean;
  readonly #written: string[] = [];
  #length = 0;
  #run = 0;
  #headings: Heading[] = [];
  /** Headings of navigation and the like, which say nothing about the text below them. */
  #asides: Heading[] = [];
  #headingStart: number | undefined;

  constructor(isSource: boolean) {
    this.#isSource = isSource;
  }

  text(): string {
    return this.#written.join('');
  }

  add(block: Block): void {
    if (block.isBoilerplate !== true) this.#asides = [];
    switch (block.kind) {
      case 'heading':
        return this.#addHeading(block);
      case 'text':
        return this.#addText(block);
      case 'table':
        return this.#addTable(block);
      case 'code':
        return this.#addCode(block);
      case 'turn':
        return this.#addTurn(block);
      case 'entry':
        return this.#addEntry(block);
      default:
        return block satisfies never;
    }
  }

  #addHeading(block: BlockOf<'heading'>): void {
    const text = oneLine(block.text);
    if (text === '') return;
    const level = Math.min(6, Math.max(1, Math.trunc(block.level)));
    const above = block.isBoilerplate === true ? this.#asides : this.#headings;
    const under = above.filter((heading) => heading.level < level);
    if (block.isBoilerplate === true) this.#asides = [...under, { level, text }];
    else this.#headings = [...under, { level, text }];
    this.#run++;
    this.#headingStart = this.#write(`${'#'.repeat(level)} ${text}`);
  }

  #addText(block: BlockOf<'text'>): void {
    const text = withoutBlankEdges(block.text);
    if (text === '') return;
    const start = this.#write(text);
    this.#push(block, { start, kind: 'text', form: 'flow', path: this.#path(block) });
  }

  #addTable(block: BlockOf<'table'>): void {
    const width = block.rows.reduce((most, row) => Math.max(most, row.length), block.header.length);
    if (width === 0) return;
    const caption = oneLine(block.caption ?? '');
    const isHeaded = block.header.some((cell) => cell.trim() !== '');
    const ruler = `|${'---|'.repeat(width)}`;
    const rows = block.rows.map((row) => rowOf(row, width));
    const header = `${caption === '' ? '' : `${caption}\n\n`}${rowOf(block.header, width)}\n${ruler}`;
    const start = this.#write([header, ...rows].join('\n'));
    this.#push(block, {
      start,
      kind: 'table',
      form: 'flow',
      path: this.#path(block),
      bodyStart: Math.min(start + header.length + 1, this.#length),
      ...((isHeaded || caption !== '') && { header: [start, start + header.length] as const }),
    });
  }

  #addCode(block: BlockOf<'code'>): void {
    const code = withoutBlankEdges(block.text);
    if (code === '') return;
    const { symbol } = block;
    const isPlain = this.#isSource || symbol !== undefined;
    // Brackets that close what was written before say nothing by themselves.
    const last = this.pieces.at(-1);
    const isRemainder =
      isPlain && last?.kind === 'code' && last.run === this.#run && !/[\p{L}\p{N}]/u.test(code);
    const start = this.#write(isPlain ? code : fenced(code, block.language));
    if (isRemainder) {
      this.pieces[this.pieces.length - 1] = { ...last, end: this.#length };
      return;
    }
    this.#push(block, {
      start,
      kind: 'code',
      form: symbol ? 'symbol' : isPlain ? 'source' : 'flow',
      path: [...this.#path(block), ...(symbol ?? []).map(oneLine)],
    });
  }

  #addTurn(block: BlockOf<'turn'>): void {
    const [speaker, text] = [oneLine(block.speaker), withoutBlankEdges(block.text)];
    if (text === '') return;
    const time = block.at === undefined ? '' : ` (${block.at})`;
    const opening =
      speaker === '' && time === '' ? '' : `${speaker === '' ? '' : `**${speaker}**`}${time}:`.trimStart();
    const start = this.#write(opening === '' ? text : `${opening} ${text}`);
    this.#push(block, {
      start,
      kind: 'turn',
      form: 'turn',
      path: this.#path(block),
      ...(opening !== '' && { header: [start, start + opening.length] as const }),
      ...(block.at !== undefined && { at: block.at }),
    });
  }

  #addEntry(block: BlockOf<'entry'>): void {
    const [title, text] = [oneLine(block.title), withoutBlankEdges(block.text)];
    if (title === '' && text === '') return;
    const level = Math.min(6, Math.max(2, (this.#headings.at(-1)?.level ?? 0) + 1));
    const heading = title === '' ? '' : `${'#'.repeat(level)} ${title}`;
    const start = this.#write([heading, text].filter((part) => part !== '').join('\n\n'));
    this.#push(block, {
      start,
      kind: 'entry',
      form: 'entry',
      path: [...this.#path(block), ...(title === '' ? [] : [title])],
      bodyStart: this.#length - text.length,
      key: block.key,
      ...(block.at !== undefined && { at: block.at }),
      ...(block.uri !== undefined && { uri: block.uri }),
    });
  }

  #path({ isBoilerplate }: Block): string[] {
    const headings = isBoilerplate === true && this.#asides.length > 0 ? this.#asides : this.#headings;
    return headings.map(({ text }) => text);
  }

  /** Appends a part of the text, apart from the one before it; returns where it starts. */
  #write(part: string): number {
    if (this.#length > 0) {
      this.#written.push('\n\n');
      this.#length += 2;
    }
    const start = this.#length;
    this.#written.push(part);
    this.#length += part.length;
    return start;
  }

  #push({ page, isBoilerplate, isHidden }: Block, fields: PieceFields): void {
    const isOfHeading = fields.form !== 'entry' && this.#headingStart !== undefined;
    this.pieces.push({
      ...fields,
      end: this.#length,
      run: this.#run,
      ...(isOfHeading && { headingStart: this.#headingStart! }),
      ...(page !== undefined && { page }),
      ...(isBoilerplate === true && { isBoilerplate }),
      ...(isHidden === true && { isHidden }),
    });
    this.#headingStart = undefined;
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}

/** Without empty lines at its ends; the first line keeps its indentation. */
function withoutBlankEdges(text: string): string {
  const leading = text.length - text.trimStart().length;
  return text.slice(text.lastIndexOf('\n', leading - 1) + 1).trimEnd();
}

function rowOf(cells: readonly string[], width: number): string {
  const written = Array.from({ length: width }, (_, n) =>
    oneLine(cells[n] ?? '').replaceAll(/(?<!\\)\|/g, '\\|'),
  );
  return `| ${written.join(' | ')} |`;
}

/** A fence that is longer than any run of backticks within. */
function fenced(code: string, language: string | undefined): string {
  const runs = code.match(/`{3,}/g) ?? [];
  const fence = '`'.repeat(runs.reduce((most, { length }) => Math.max(most, length + 1), 3));
  return `${fence}${language ?? ''}\n${code}\n${fence}`;
}
