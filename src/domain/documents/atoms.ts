import { sentencesOf, trimmed, type Span } from '../text/sentences.ts';

/** A part of a text that no section is cut in. */
export interface Atom extends Span {
  /** How well a section may begin with it: the higher, the better; 0 where it belongs to what stands before it. */
  readonly strength: number;
}

/** Strengths of the boundaries of prose. */
export const strengths = { glued: 0, sentence: 1, item: 2, paragraph: 3, block: 4, page: 5 } as const;

/** Units above which a paragraph is divided further. */
const maxParagraph = 2_500;
/** Units above which something without an end of a sentence is divided at white space: it is no sentence any more. */
const maxSentence = 8_000;
/** Units above which even a row or a line is divided at white space, so that a memory can hold it. */
const maxLine = 32_000;

const PARAGRAPH_END = /\n[^\S\n]*\n\s*/gu;
/** The line breaks before items of a list and lines of a quotation. */
const ITEM_START = /\n(?=[^\S\n]*(?:[-*+•·–>]|\d{1,4}[.)])\s)/gu;
const LINE_END = /\n/gu;
const ENDS_WITH_COLON = /[:：]["*_]*$/u;

/** Abbreviations that the common rules for sentences do not know, and letters with a full stop as in "z. B.". */
const ABBREVIATION =
  /(?:^|[\s(\p{Ps}])(?:\p{L}|Abb|Abs|Art|Aufl|Bd|bzw|ca|cf|Chap|Co|Corp|dept|Dipl|ed|eds|Eq|evtl|Fig|Figs|Fr|ggf|Hr|Inc|inkl|Ing|insb|Jh|Jr|Kap|Ltd|max|min|Mio|Mlle|Mrd|núm|pág|pp|Ref|resp|Sec|sog|Sr|Str|Tab|Tel|u\.a|vgl|vol|zzgl|al|Jan|Feb|Aug|Sept?|Oct|Okt|Nov|Dec|Dez)\.$/iu;

/**
 * The parts of Markdown prose between which it may be cut: paragraphs, and where a paragraph is long its list items and sentences.
 * `strength` is that of the first part. Linear in the length of the part.
 */
export function proseAtoms(text: string, span: Span, strength: number = strengths.block): Atom[] {
  const atoms: Atom[] = [];
  for (const paragraph of splitAt(text, span, PARAGRAPH_END)) {
    const last = atoms.at(-1);
    const before =
      last === undefined ? strength : introduces(text, last) ? strengths.glued : strengths.paragraph;
    atoms.push(...paragraphAtoms(text, paragraph, before));
  }
  return atoms;
}

/** Tells whether the part announces what follows it ("The steps are:"). */
export function introduces(text: string, { start, end }: Span): boolean {
  return ENDS_WITH_COLON.test(text.slice(Math.max(start, end - 10), end));
}

function paragraphAtoms(text: string, paragraph: Span, strength: number): Atom[] {
  if (lengthOf(paragraph) <= maxParagraph) return [{ ...paragraph, strength }];
  const atoms: Atom[] = [];
  for (const item of splitAt(text, paragraph, ITEM_START)) {
    const first = atoms.length === 0 ? strength : strengths.item;
    const sentences = lengthOf(item) <= maxParagraph ? [item] : sentencesOrLines(text, item);
    for (const [n, sentence] of sentences.entries())
      for (const [k, piece] of atSpaces(text, sentence, maxSentence).entries())
        atoms.push({ ...piece, strength: k > 0 ? strengths.glued : n > 0 ? strengths.sentence : first });
  }
  return atoms;
}

/** The sentences of a paragraph; the lines of what would be too long for a sentence, such as a list without marks. */
function sentencesOrLines(text: string, paragraph: Span): Span[] {
  return sentenceSpans(text, paragraph).flatMap((sentence) =>
    lengthOf(sentence) <= maxParagraph ? [sentence] : splitAt(text, sentence, LINE_END),
  );
}

/** Units that are segmented at once: the time of the segmenter is quadratic in the length of what it is given. */
const window = 4_000;

/** The sentences of a paragraph. A line break within it is a wrapped line and ends none. */
export function sentenceSpans(text: string, { start, end }: Span): Span[] {
  const unwrapped = text.slice(start, end).replaceAll(/[\n\r\u2028]/g, ' ');
  const sentences: Span[] = [];
  for (const sentence of segmented(unwrapped)) {
    const last = sentences.at(-1);
    const isContinued =
      last && endsWithAbbreviation(unwrapped, last) && sentence.end - last.start <= maxSentence;
    if (isContinued) sentences[sentences.length - 1] = { start: last.start, end: sentence.end };
    else sentences.push(sentence);
  }
  return sentences.map((span) => ({ start: start + span.start, end: start + span.end }));
}

function endsWithAbbreviation(text: string, { start, end }: Span): boolean {
  return ABBREVIATION.test(text.slice(Math.max(start, end - 12), end));
}

/** Sentences of a text without line breaks. The last one of a window may go on after it, so the next window begins with it. */
function* segmented(text: string): Generator<Span> {
  let length = window;
  for (let from = 0; from < text.length;) {
    const until = Math.min(text.length, from + length);
    const spans = sentencesOf(text, { start: from, end: until });
    const last = spans.at(-1);
    const isWhole = until === text.length || last === undefined;
    // Nothing that long is a sentence.
    if (isWhole || (spans.length === 1 && length > maxSentence)) {
      yield* spans;
      from = until;
    } else if (spans.length === 1) {
      length *= 2;
      continue;
    } else {
      yield* spans.slice(0, -1);
      from = last.start;
    }
    length = window;
  }
}

/**
 * The lines of source code or of a table. A section of code begins best after an empty line and with little indentation, never with
 * a line of closing brackets or below the comment that belongs to it.
 */
export function lineAtoms(text: string, span: Span, isCode: boolean): Atom[] {
  const atoms: Atom[] = [];
  let [isAfterBlank, isAfterComment] = [false, false];
  for (const line of lines(text, span)) {
    const source = text.slice(line.start, line.end);
    if (source.trim() === '') {
      isAfterBlank = true;
      continue;
    }
    const strength = isCode ? codeStrength(source, isAfterBlank, isAfterComment) : strengths.sentence;
    for (const [k, piece] of atSpaces(text, line, maxLine).entries())
      atoms.push({ ...piece, strength: k > 0 ? strengths.glued : strength });
    isAfterComment = COMMENT.test(source);
    isAfterBlank = false;
  }
  return atoms;
}

const COMMENT = /^\s*(?:\/\/|\/?\*|#(?!include|define|endif)|--|;;|@\w)/u;
const CLOSING = /^\s*(?:[\])}>]|end\b|else\b|elif\b|except\b|finally\b|catch\b)/u;
const maxIndentation = 16;

function codeStrength(line: string, isAfterBlank: boolean, isAfterComment: boolean): number {
  if (CLOSING.test(line) || (isAfterComment && !isAfterBlank)) return strengths.glued;
  const indentation = Math.min(line.length - line.trimStart().length, maxIndentation);
  return 1 + maxIndentation - indentation + (isAfterBlank ? maxIndentation : 0);
}

/** The span in parts of at most `limit` units that end at white space, or between characters where there is none. */
function atSpaces(text: string, { start, end }: Span, limit: number): Span[] {
  const parts: Span[] = [];
  let from = start;
  while (end - from > limit) {
    const window = text.slice(from, from + limit);
    const space = window.lastIndexOf(' ');
    const isPair = /[\ud800-\udbff]$/.test(window);
    const until = from + (space > limit / 2 ? space : isPair ? limit - 1 : limit);
    parts.push({ start: from, end: until });
    from = until + (space > limit / 2 ? 1 : 0);
  }
  return [...parts, { start: from, end }];
}

function splitAt(text: string, { start, end }: Span, ends: RegExp): Span[] {
  const part = text.slice(start, end);
  const spans: Span[] = [];
  let from = 0;
  for (const { index, 0: found } of part.matchAll(ends)) {
    push(spans, text, start + from, start + index);
    from = index + found.length;
  }
  push(spans, text, start + from, end);
  return spans;
}

function push(spans: Span[], text: string, from: number, until: number): void {
  const span = trimmed(text, { start: from, end: until });
  if (span) spans.push(span);
}

function* lines(text: string, { start, end }: Span): Generator<Span> {
  for (let from = start; from < end;) {
    const newline = text.indexOf('\n', from);
    const until = newline < 0 || newline > end ? end : newline;
    yield { start: from, end: until };
    from = until + 1;
  }
}

/** Units of a span. */
export function lengthOf({ start, end }: Span): number {
  return end - start;
}
