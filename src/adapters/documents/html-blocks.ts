import type { Block } from '../../domain/documents/content.ts';
import { codeLanguageOf, codeTextOf, isProse } from './html-code.ts';
import { formulaOf, isFootnoteMark, raisedText, taskOf, textOfPicture } from './html-inline.ts';
import {
  childrenOf,
  type HtmlElement,
  type HtmlNode,
  isElement,
  isHidden,
  isText,
  parseFragment,
} from './html-dom.ts';
import { cellElementsOf, isLayout, rowsOf, tablesOf } from './html-table.ts';
import { BlockWriter } from './html-writer.ts';

export interface HtmlOptions {
  /** 1-based page of the blocks. */
  readonly page?: number;
}

/** Elements deeper than this give their text without any structure, so that no page overflows the stack. */
const maxDepth = 400;

const blockElements = new Set(
  (
    'address article aside body center details dialog dir div fieldset figcaption figure footer form header hgroup html legend ' +
    'main menu nav optgroup p search section summary table tbody td tfoot th thead tr caption li dd dt'
  ).split(' '),
);

/**
 * Reads a page or a part of one, as a browser shows it: headings, paragraphs and lists as Markdown, tables, code. Links and emphasis
 * give their text alone, pictures the text that stands for them. Only what a browser hides is left out.
 */
export function blocksOfHtml(html: string, options: HtmlOptions = {}): Block[] {
  return blocksOfElement(parseFragment(html), options);
}

/** Reads the content of an element, as `blocksOfHtml` does. */
export function blocksOfElement(element: HtmlElement, options: HtmlOptions = {}): Block[] {
  const writer = new BlockWriter(options.page, false);
  new Walk(writer).children(element, 0);
  writer.endText();
  return writer.blocks;
}

/** The text of an element in one line. */
export function lineOfElement(element: HtmlElement, depth = 0): string {
  const writer = new BlockWriter(undefined, true);
  new Walk(writer).children(element, depth);
  writer.endText();
  return writer.blocks.map(lineOfBlock).join(' ');
}

function lineOfBlock(block: Block): string {
  if (block.kind === 'table') return block.rows.map((row) => row.join(' ')).join(' ');
  return block.text.replaceAll(/\s+/g, ' ');
}

class Walk {
  readonly #writer: BlockWriter;

  constructor(writer: BlockWriter) {
    this.#writer = writer;
  }

  children(parent: HtmlNode, depth: number): void {
    for (const child of childrenOf(parent)) {
      if (isText(child)) this.#writer.text(child.textContent);
      else if (isElement(child) && !isHidden(child)) this.#element(child, depth + 1);
    }
  }

  #element(element: HtmlElement, depth: number): void {
    const { localName } = element;
    const writer = this.#writer;
    if (depth > maxDepth) {
      writer.text(element.textContent);
      return;
    }
    const level = headingLevelOf(element);
    if (level !== undefined) {
      const text = lineOfElement(element, depth);
      if (text !== '') writer.block({ kind: 'heading', level, text });
      return;
    }
    switch (localName) {
      case 'br':
        return writer.lineBreak();
      case 'hr':
        return writer.endParagraph();
      case 'img':
        return this.#picture(element);
      case 'ul':
      case 'ol':
      case 'menu':
      case 'dir':
        return this.#list(element, depth);
      case 'dl':
        return this.#definitions(element, depth);
      case 'blockquote':
        return writer.within('> ', '> ', () => this.children(element, depth));
      case 'pre':
      case 'listing':
      case 'xmp':
        return this.#code(element);
      case 'table':
        return this.#table(element, depth);
      case 'math':
        return writer.text(formulaOf(element));
      case 'sup':
        return this.#superscript(element, depth);
      case 'q':
        return this.#between('“', '”', element, depth);
      case 'del':
      case 's':
      case 'strike':
        return this.#between('~~', '~~', element, depth);
      default:
    }
    const isBlock =
      blockElements.has(localName) || /display\s*:\s*block/i.test(element.getAttribute('style') ?? '');
    if (isBlock) writer.endParagraph();
    this.children(element, depth);
    if (isBlock) writer.endParagraph();
  }

  #between(before: string, after: string, element: HtmlElement, depth: number): void {
    if (element.textContent.trim() === '') return;
    this.#writer.text(before);
    this.children(element, depth);
    this.#writer.text(after);
  }

  #picture(image: HtmlElement): void {
    const text = textOfPicture(image);
    const caption = image.closest('figure')?.querySelector('figcaption') ?? null;
    if (text === '' || (caption !== null && lineOfElement(caption) === text)) return;
    // A picture with a caption stands apart from the words beside it.
    if (caption === null) this.#writer.text(` ${text} `);
    else {
      this.#writer.endParagraph();
      this.#writer.text(text);
      this.#writer.endParagraph();
    }
  }

  #list(list: HtmlElement, depth: number): void {
    const isOrdered = list.localName === 'ol';
    const start = Number.parseInt(list.getAttribute('start') ?? '1', 10);
    let next = Number.isInteger(start) ? start : 1;
    this.#writer.within('', '', () => {
      for (const child of childrenOf(list)) {
        if (isText(child)) this.#writer.text(child.textContent);
        if (!isElement(child) || isHidden(child)) continue;
        if (child.localName !== 'li') {
          this.#element(child, depth + 1);
          continue;
        }
        const value = Number.parseInt(child.getAttribute('value') ?? '', 10);
        if (Number.isInteger(value)) next = value;
        const marker = isOrdered ? `${next}. ` : `- ${taskOf(child)}`;
        next += list.hasAttribute('reversed') ? -1 : 1;
        this.#writer.within(marker, ' '.repeat(isOrdered ? marker.length : 2), () =>
          this.children(child, depth + 1),
        );
      }
    });
  }

  /** One block a group of terms: "term: definition". */
  #definitions(list: HtmlElement, depth: number): void {
    let terms: string[] = [];
    let definitions: HtmlElement[] = [];
    const close = (): void => {
      const described = definitions;
      if (terms.length > 0)
        this.#writer.withTerm(terms.join(', '), () => this.#eachParagraph(described, depth));
      else this.#eachParagraph(described, depth);
      terms = [];
      definitions = [];
    };
    const collect = (parent: HtmlElement): void => {
      for (const child of childrenOf(parent)) {
        if (!isElement(child) || isHidden(child)) continue;
        if (child.localName === 'dt') {
          if (definitions.length > 0) close();
          const term = lineOfElement(child, depth);
          if (term !== '') terms.push(term);
        } else if (child.localName === 'div' && parent === list) collect(child);
        else definitions.push(child);
      }
    };
    collect(list);
    close();
  }

  #eachParagraph(elements: readonly HtmlElement[], depth: number): void {
    for (const element of elements) {
      this.#writer.endParagraph();
      if (element.localName === 'dd') this.children(element, depth + 1);
      else this.#element(element, depth + 1);
      this.#writer.endParagraph();
    }
  }

  #code(element: HtmlElement): void {
    const text = codeTextOf(element);
    if (text.trim() === '') return;
    const language = codeLanguageOf(element);
    if (language === undefined && isProse(element, text)) {
      this.#writer.endParagraph();
      for (const paragraph of text.split(/\n\s*\n/)) {
        for (const line of paragraph.split('\n')) {
          this.#writer.text(line);
          this.#writer.lineBreak();
        }
        this.#writer.endParagraph();
      }
      return;
    }
    this.#writer.block({ kind: 'code', text, ...(language === undefined ? {} : { language }) });
  }

  #table(table: HtmlElement, depth: number): void {
    const rows = rowsOf(table);
    this.#writer.endParagraph();
    if (isLayout(table, rows)) {
      for (const child of childrenOf(table))
        if (isElement(child) && child.localName === 'caption') this.#element(child, depth);
      for (const cell of cellElementsOf(table)) {
        this.#writer.endParagraph();
        this.children(cell, depth + 1);
        this.#writer.endParagraph();
      }
      return;
    }
    for (const read of tablesOf(table, rows, (cell) => lineOfElement(cell, depth)))
      this.#writer.block({ kind: 'table', ...read });
  }

  #superscript(element: HtmlElement, depth: number): void {
    if (isFootnoteMark(element)) return;
    const raised = raisedText(element);
    if (raised === undefined) this.children(element, depth);
    else this.#writer.text(raised);
  }
}

function headingLevelOf(element: HtmlElement): number | undefined {
  const [, digit] = /^h([1-6])$/.exec(element.localName) ?? [];
  if (digit !== undefined) return Number(digit);
  if (element.getAttribute('role') !== 'heading') return undefined;
  const level = Number(element.getAttribute('aria-level') ?? '2');
  return Number.isInteger(level) && level >= 1 && level <= 6 ? level : 2;
}
