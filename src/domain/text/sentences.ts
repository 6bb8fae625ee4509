/** A part of a text: UTF-16 offsets, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const segmenter = new Intl.Segmenter('und', { granularity: 'sentence' });

/** Titles, initials and ordinal numbers, whose full stop does not end a sentence. */
const ABBREVIATION =
  /(?:^|[\s(])(?:Dr|Mr|Mrs|Ms|Prof|St|Nr|No|vs|approx|ca|e\.g|i\.e|z\.B|bzw|Sra?|Dra?|Mme|[A-Z]|\d{1,2})\.\s*$/u;

/**
 * The sentences of a part of a text without the white space around them, in order; a line break ends a sentence, too. Works in any
 * language (Unicode UAX #29), in time linear in the length of the part.
 */
export function sentencesOf(text: string, { start, end }: Span = { start: 0, end: text.length }): Span[] {
  const sentences: Span[] = [];
  let from: number | undefined;
  for (const { segment, index } of segmenter.segment(text.slice(start, end))) {
    from ??= index;
    if (ABBREVIATION.test(segment)) continue;
    push(sentences, text, start + from, start + index + segment.length);
    from = undefined;
  }
  if (from !== undefined) push(sentences, text, start + from, end);
  return sentences;
}

function push(sentences: Span[], text: string, from: number, until: number): void {
  const span = trimmed(text, { start: from, end: until });
  if (span) sentences.push(span);
}

/** The span without white space at its ends; undefined if nothing else is in it. */
export function trimmed(text: string, { start, end }: Span): Span | undefined {
  const part = text.slice(start, end);
  const leading = part.length - part.trimStart().length;
  return leading === part.length ? undefined : { start: start + leading, end: start + part.trimEnd().length };
}
