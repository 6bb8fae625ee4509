import type { Block } from '../../domain/documents/content.ts';

/** A list item, a quote or a term that paragraphs stand in. */
interface Frame {
  readonly first: string;
  readonly rest: string;
  readonly isTerm?: true;
  /** Whether a paragraph has been written in it, which took `first`. */
  isUsed: boolean;
}

/**
 * Collects running text into paragraphs, and paragraphs into blocks. Paragraphs in lists and quotes become one block of Markdown
 * per list. A flat writer makes one line of everything, for the cells of a table.
 */
export class BlockWriter {
  readonly blocks: Block[] = [];
  readonly #place: { readonly page?: number };
  readonly #isFlat: boolean;
  readonly #frames: Frame[] = [];
  /** Running text since the last line break, and the lines of the paragraph before it. */
  #line: string[] = [];
  #broken: string[] = [];
  #isAfterSpace = true;
  #lines: string[] = [];

  constructor(page: number | undefined, isFlat: boolean) {
    this.#place = page === undefined ? {} : { page };
    this.#isFlat = isFlat;
  }

  /** Adds running text. White space collapses as in a browser. */
  text(text: string): void {
    const collapsed = text.replaceAll(/[\u00AD\u200B\uFEFF\u2060]/g, '').replaceAll(/[ \t\n\r\f]+/g, ' ');
    const added = this.#isAfterSpace && collapsed.startsWith(' ') ? collapsed.slice(1) : collapsed;
    if (added === '') return;
    this.#line.push(added);
    this.#isAfterSpace = added.endsWith(' ');
  }

  /** Two line breaks in a row end the paragraph, as pages without `<p>` use them. */
  lineBreak(): void {
    this.#broken.push(this.#line.join('').replaceAll('\u00A0', ' ').trim());
    this.#line = [];
    this.#isAfterSpace = true;
  }

  /** Ends the paragraph, and the block outside of lists and quotes. */
  endParagraph(): void {
    if (this.#line.length === 0 && this.#broken.length === 0) return;
    this.lineBreak();
    const lines = this.#broken;
    this.#broken = [];
    let paragraph: string[] = [];
    for (const line of [...lines, '']) {
      if (line !== '') paragraph.push(line);
      else if (paragraph.length > 0) {
        this.#paragraph(paragraph);
        paragraph = [];
      }
    }
  }

  /** Runs `write` in a list item or quote: its first line begins with `first`, the others with `rest`. */
  within(first: string, rest: string, write: () => void): void {
    this.endParagraph();
    // A list stands below its term.
    const isBelowTerm = first !== '' && this.#frames.some((frame) => frame.isTerm === true && !frame.isUsed);
    if (isBelowTerm && !this.#isFlat) this.#lines.push(this.#startLine().trimEnd());
    this.#frames.push({ first, rest, isUsed: false });
    write();
    this.endParagraph();
    this.#frames.pop();
    if (this.#frames.length === 0) this.endText();
  }

  /** Runs `write` with "term: " before its first paragraph, or writes the term alone if there is none. */
  withTerm(term: string, write: () => void): void {
    const first = `${term}${/[:?!]$/.test(term) ? '' : ':'} `;
    const frame: Frame = { first, rest: '', isTerm: true, isUsed: false };
    this.endParagraph();
    this.#frames.push(frame);
    write();
    this.endParagraph();
    if (!frame.isUsed) {
      frame.isUsed = true;
      this.#paragraph([term]);
    }
    this.#frames.pop();
    if (this.#frames.length === 0) this.endText();
  }

  /** Ends the block of text that is being written, before a block of another kind or at the end of a list. */
  endText(): void {
    this.endParagraph();
    this.#endBlock();
  }

  /** Adds a block of another kind after the text so far. */
  block(block: Block): void {
    this.endText();
    // The list goes on after the block: its item has begun, even if nothing stands before the block.
    for (const frame of this.#frames) frame.isUsed = true;
    this.blocks.push({ ...block, ...this.#place });
  }

  #paragraph(lines: readonly string[]): void {
    if (this.#isFlat) {
      this.#flatParagraph(lines.join(' '));
      return;
    }
    if (this.#frames.at(-1)?.isUsed === true && this.#lines.length > 0) {
      this.#lines.push(
        this.#frames
          .map((frame) => frame.rest)
          .join('')
          .trimEnd(),
      );
    }
    for (const line of lines) {
      const prefix = this.#startLine();
      // Escaped, so that nothing reads the line as a heading.
      this.#lines.push(prefix + line.replace(/^(#{1,6})(?=\s)/, '\\$1'));
    }
    if (this.#frames.length === 0) this.#endBlock();
  }

  /** Items of a list in one line are parted by semicolons. Terms are kept, and marks of lists and quotes are not. */
  #flatParagraph(line: string): void {
    const prefix = this.#startLine();
    const isItem = /^(?:- |\d+\. )/.test(prefix.trimStart());
    const before = this.#lines.at(-1);
    if (isItem && before !== undefined && !/[.;:,!?]$/.test(before))
      this.#lines[this.#lines.length - 1] = `${before};`;
    this.#lines.push((isItem ? '' : prefix.replace(/^(?:> ?| )+/, '')) + line);
  }

  /** The marks before the next line. */
  #startLine(): string {
    const prefix = this.#frames.map((frame) => (frame.isUsed ? frame.rest : frame.first)).join('');
    for (const frame of this.#frames) frame.isUsed = true;
    return prefix;
  }

  #endBlock(): void {
    const text = this.#isFlat ? this.#lines.join(' ') : withoutIndent(this.#lines).join('\n');
    this.#lines = [];
    if (text !== '') this.blocks.push({ kind: 'text', text, ...this.#place });
  }
}

/** What follows on a table or on code in a list item begins a block, where its indent would say that it is code. */
function withoutIndent(lines: readonly string[]): string[] {
  const indent = /^ */.exec(lines[0] ?? '')?.[0] ?? '';
  return lines.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
}
