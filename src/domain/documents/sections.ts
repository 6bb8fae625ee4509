import type { Span } from '../text/sentences.ts';
import { lengthOf, lineAtoms, proseAtoms, strengths } from './atoms.ts';
import { cut, maxSection, type Sizes } from './cut.ts';
import { flowSections } from './flow.ts';
import type { Piece } from './pieces.ts';

/** A part of a document's text that one memory holds. Offsets are UTF-16 units of the text; `end` is exclusive. */
export interface Section extends Span {
  /** The headings that it stands under, outermost first, or the path of a symbol. */
  readonly path: readonly string[];
  /** Range of a table's header and caption, or of a turn's speaker, that the part repeats. */
  readonly header?: readonly [number, number];
  /** First and last page, slide or sheet, 1-based. */
  readonly pages?: readonly [number, number];
  /** Names an entry in every version of its feed; parts after the first end with `#2`, `#3`, … */
  readonly key?: string;
  readonly kind: 'text' | 'table' | 'code' | 'turns' | 'entry';
  readonly isBoilerplate?: true;
  readonly isHidden?: true;
  readonly at?: string;
  readonly uri?: string;
}

/** A section before it is described. */
export interface Part extends Span {
  readonly kind: Section['kind'];
  readonly header?: readonly [number, number];
  readonly key?: string;
}

const turnSizes: Sizes = { min: 1_000, max: 2_000 };
const looseCodeSizes: Sizes = { min: 1_000, max: 2_500 };
const longSymbolSizes: Sizes = { min: 1_500, max: 4_000 };
const longTextSizes: Sizes = { min: 1_000, max: 2_500 };

/** The sections of a text, in order: pieces under one heading together, and what is long in parts. Linear in its length. */
export function sectionsOf(text: string, pieces: readonly Piece[]): Section[] {
  const sections: Section[] = [];
  for (const run of runsOf(pieces)) {
    const parts = partsOf(text, run);
    let first = 0;
    for (const [n, part] of parts.entries()) {
      while (run[first]!.end <= part.start && first < run.length - 1) first++;
      const start = n === 0 ? (run[0]!.headingStart ?? part.start) : part.start;
      sections.push(described({ ...part, start }, run, first));
    }
  }
  return sections;
}

/** Pieces that follow each other under the same heading and are divided in the same way. */
function runsOf(pieces: readonly Piece[]): Piece[][] {
  const runs: Piece[][] = [];
  for (const piece of pieces) {
    const last = runs.at(-1)?.at(-1);
    const joins =
      last?.run === piece.run &&
      last.form === piece.form &&
      last.isBoilerplate === piece.isBoilerplate &&
      last.isHidden === piece.isHidden &&
      piece.form !== 'entry' &&
      piece.form !== 'symbol';
    if (joins) runs.at(-1)!.push(piece);
    else runs.push([piece]);
  }
  return runs;
}

function partsOf(text: string, run: readonly Piece[]): readonly Part[] {
  const first = run[0]!;
  const whole: Span = { start: first.start, end: run.at(-1)!.end };
  switch (first.form) {
    case 'entry':
      return entryParts(text, first);
    case 'symbol':
      return codeParts(text, whole, maxSection, longSymbolSizes);
    case 'source':
      return codeParts(text, whole, looseCodeSizes.max, looseCodeSizes);
    case 'turn':
      return turnParts(text, run);
    case 'flow':
      return flowSections(text, run);
    default:
      return first.form satisfies never;
  }
}

function entryParts(text: string, entry: Piece): Part[] {
  const { start, end, bodyStart = start, key } = entry;
  const atoms = end - start > maxSection ? proseAtoms(text, { start: bodyStart, end }) : [];
  const spans = atoms.length > 0 ? cut(text, atoms, longTextSizes) : [{ start, end }];
  return spans.map((span, n) => ({
    start: n === 0 ? start : span.start,
    end: span.end,
    kind: 'entry',
    ...(key !== undefined && { key: n === 0 ? key : `${key}#${n + 1}` }),
  }));
}

function codeParts(text: string, whole: Span, undivided: number, sizes: Sizes): Part[] {
  const spans = lengthOf(whole) <= undivided ? [whole] : cut(text, lineAtoms(text, whole, true), sizes);
  return spans.map((span) => ({ ...span, kind: 'code' }));
}

/** Groups that begin at a turn. A turn that is too long for a section is cut, and each part names the speaker. */
function turnParts(text: string, turns: readonly Piece[]): Part[] {
  const parts: Part[] = [];
  let open: Piece[] = [];
  const close = () => {
    const atoms = open.map(({ start, end }) => ({ start, end, strength: strengths.sentence }));
    for (const span of cut(text, atoms, turnSizes)) parts.push({ ...span, kind: 'turns' });
    open = [];
  };
  for (const turn of turns) {
    if (lengthOf(turn) <= maxSection) {
      open.push(turn);
      continue;
    }
    close();
    for (const [n, span] of cut(text, proseAtoms(text, turn), longTextSizes).entries())
      parts.push({ ...span, kind: 'turns', ...(n > 0 && turn.header && { header: turn.header }) });
  }
  close();
  return parts;
}

/** `first` is the index of the first piece that the part overlaps. */
function described(part: Part, run: readonly Piece[], first: number): Section {
  const { path, isBoilerplate, isHidden, at, uri } = run[first]!;
  let [from, to]: [number | undefined, number | undefined] = [undefined, undefined];
  for (let n = first; n < run.length && run[n]!.start < part.end; n++) {
    const { page } = run[n]!;
    if (page === undefined) continue;
    from = Math.min(from ?? page, page);
    to = Math.max(to ?? page, page);
  }
  return {
    path,
    ...part,
    ...(from !== undefined && { pages: [from, to!] as const }),
    ...(isBoilerplate && { isBoilerplate }),
    ...(isHidden && { isHidden }),
    ...(at !== undefined && { at }),
    ...(uri !== undefined && { uri }),
  };
}

/** What the content of a section depends on. */
export type SectionPlace = Pick<Section, 'kind' | 'path' | 'start' | 'end'> & {
  readonly header?: readonly [number, number] | undefined;
};

const SEPARATOR = ' › ';

/**
 * The content of a section's memory: a first line with the title and the headings, without repetitions, an empty line, the header of
 * the table that it continues, and its text without the line of its own heading. `title` is left out where a heading says the same.
 */
export function sectionContent(text: string, section: SectionPlace, title?: string): string {
  const { path, start, end, header } = section;
  const names = distinctNames(title === undefined ? path : [title, ...path]);
  const repeated = header ? `${text.slice(header[0], header[1])}\n` : '';
  const body = repeated + withoutHeading(text.slice(start, end), section);
  return [names.join(SEPARATOR), body].filter((part) => part.trim() !== '').join('\n\n');
}

/** The content of a section without its first line of headings, as far as the path tells it. */
export function sectionBody(content: string, path: readonly string[]): string {
  const end = content.indexOf('\n');
  const line = end < 0 ? content : content.slice(0, end);
  if (!path.some((name) => line.endsWith(name))) return content;
  return end < 0 ? '' : content.startsWith('\n\n', end) ? content.slice(end + 2) : content;
}

function distinctNames(names: readonly string[]): string[] {
  const distinct = new Map<string, string>();
  for (const name of names) {
    const form = name
      .replaceAll(/[*_`\s]+/gu, ' ')
      .trim()
      .toLowerCase();
    if (form !== '' && !distinct.has(form)) distinct.set(form, name);
  }
  return [...distinct.values()];
}

function withoutHeading(body: string, { path, kind }: SectionPlace): string {
  if (kind === 'code') return body;
  const line = /^#{1,6} (.*)(?:\n+|$)/u.exec(body);
  return line && line[1] === path.at(-1) ? body.slice(line[0].length) : body;
}
