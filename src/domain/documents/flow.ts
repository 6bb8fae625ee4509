import type { Span } from '../text/sentences.ts';
import { introduces, lengthOf, lineAtoms, proseAtoms, sentenceSpans, strengths, type Atom } from './atoms.ts';
import { cut, maxSection, minSection, type Sizes } from './cut.ts';
import type { Piece } from './pieces.ts';
import type { Part } from './sections.ts';

/** Units of prose and tables under one heading that stay together. */
const maxWhole = 2_500;
const proseSizes: Sizes = { min: 1_000, max: maxWhole };
/** Units of a part of a table, with its repeated header. */
const tableSizes: Sizes = { min: 1_500, max: maxWhole };
/** Least units for the rows of a part, however long the header is. */
const minRows = 800;
/** Units of the text before a table, or before a fence, that stays with it. */
const [maxLead, maxFenceLead] = [600, 1_500];

/** The parts of prose, fences and tables under one heading. A short run is one part; a longer one is cut, and a table stands apart. */
export function flowSections(text: string, run: readonly Piece[]): readonly Part[] {
  const whole = { start: run[0]!.start, end: run.at(-1)!.end };
  if (lengthOf(whole) <= maxWhole) return [{ ...whole, kind: kindOf(run) }];
  const flow = new Flow(text);
  for (const piece of run) flow.add(piece);
  return flow.finish();
}

function kindOf(run: readonly Piece[]): Part['kind'] {
  const share = (kind: Piece['kind']) =>
    run.reduce((sum, piece) => sum + (piece.kind === kind ? lengthOf(piece) : 0), 0) /
    run.reduce((sum, piece) => sum + lengthOf(piece), 0);
  if (share('table') > 0.5) return 'table';
  return share('code') === 1 ? 'code' : 'text';
}

class Flow {
  readonly #text: string;
  readonly #parts: Part[] = [];
  #atoms: Atom[] = [];
  #isProse = false;
  #page: number | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  add(piece: Piece): void {
    if (piece.kind === 'table') this.#addTable(piece);
    else if (piece.kind === 'code') this.#addFence(piece);
    else this.#addProse(piece);
    this.#page = piece.page;
  }

  finish(): readonly Part[] {
    const last = this.#parts.at(-1);
    const rest = this.#rest();
    // A short remark below the table belongs to it.
    if (last && rest && lengthOf(rest) < minSection && rest.end - last.start <= maxSection)
      this.#parts[this.#parts.length - 1] = { ...last, end: rest.end };
    else this.#close();
    return this.#parts;
  }

  #addProse(piece: Piece): void {
    const isNewPage = this.#page !== undefined && piece.page !== this.#page;
    const strength = this.#continues(piece) ? strengths.glued : isNewPage ? strengths.page : strengths.block;
    for (const atom of proseAtoms(this.#text, piece, strength)) this.#atoms.push(atom);
    this.#isProse = true;
  }

  /** Tells whether the piece goes on with what the last one announced, or with its sentence, which a new page had interrupted. */
  #continues(piece: Piece): boolean {
    const last = this.#atoms.at(-1);
    if (!last) return false;
    const isOpen = /[\p{L}\p{N},;–-]$/u.test(this.#text.slice(last.start, last.end));
    const startsSmall = /^\p{Ll}/u.test(this.#text.slice(piece.start, piece.start + 2));
    return introduces(this.#text, last) || (this.#isProse && isOpen && startsSmall);
  }

  #addFence(piece: Piece): void {
    const last = this.#atoms.at(-1);
    const isLed = last !== undefined && lengthOf(last) <= maxFenceLead;
    const [strength, isLong] = [isLed ? strengths.glued : strengths.item, lengthOf(piece) > maxSection];
    if (isLong)
      for (const [n, atom] of lineAtoms(this.#text, piece, true).entries())
        this.#atoms.push(n === 0 ? { ...atom, strength } : atom);
    else this.#atoms.push({ start: piece.start, end: piece.end, strength });
    this.#isProse = false;
  }

  #addTable(table: Piece): void {
    const lead = this.#takeLead();
    this.#close();
    const last = this.#parts.at(-1);
    const start = lead?.start ?? table.start;
    if (last?.kind === 'table' && !last.header && !lead && this.#isTiny(last, table))
      this.#parts[this.#parts.length - 1] = { ...last, end: table.end };
    else this.#parts.push(...tableParts(this.#text, table, start));
  }

  #isTiny(last: Part, table: Piece): boolean {
    return Math.min(lengthOf(last), lengthOf(table)) < minSection && table.end - last.start <= maxWhole;
  }

  /** Takes the paragraph or the sentence before a table; all that is left if the rest would be too short to stand alone. */
  #takeLead(): Span | undefined {
    const [first, last] = [this.#atoms[0], this.#atoms.at(-1)];
    if (!first || !last) return undefined;
    if (last.start - first.start < minSection && last.end - first.start <= maxLead) {
      this.#atoms = [];
      return { start: first.start, end: last.end };
    }
    if (lengthOf(last) <= maxLead) return this.#atoms.pop();
    const sentence = sentenceSpans(this.#text, last).at(-1);
    if (!sentence || lengthOf(sentence) > maxLead || sentence.start === last.start) return undefined;
    const before = this.#text.slice(last.start, sentence.start).trimEnd().length;
    this.#atoms[this.#atoms.length - 1] = { ...last, end: last.start + before };
    return sentence;
  }

  #rest(): Span | undefined {
    const [first, last] = [this.#atoms[0], this.#atoms.at(-1)];
    return first && last && { start: first.start, end: last.end };
  }

  #close(): void {
    for (const span of cut(this.#text, this.#atoms, proseSizes)) this.#parts.push({ ...span, kind: 'text' });
    this.#atoms = [];
    this.#isProse = false;
  }
}

/** A table with what leads to it from `start`: whole, or in groups of rows that repeat its header. */
function tableParts(text: string, table: Piece, start: number): Part[] {
  const { header, bodyStart = table.end, end } = table;
  if (end - start <= maxWhole) return [{ start, end, kind: 'table' }];
  const [first, ...rows] = lineAtoms(text, { start: bodyStart, end }, false);
  if (!first) return [{ start, end, kind: 'table' }];
  const max = Math.max(minRows, tableSizes.max - (header ? header[1] - header[0] : 0));
  const sizes = { min: Math.min(tableSizes.min, 0.6 * max), max };
  return cut(text, [{ ...first, start }, ...rows], sizes).map((span, n) => ({
    ...span,
    kind: 'table',
    ...(n > 0 && header && { header }),
  }));
}
