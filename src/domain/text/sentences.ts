/** A part of a text: UTF-16 offsets, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const segmenter = new Intl.Segmenter('und', { granularity: 'sentence' });

/** UTF-16 units in one call of the segmenter. Each of its steps takes time linear in the length of the whole text that it is given. */
const windowLength = 1_024;

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
  for (const segment of segmentsOf(text, start, end)) {
    from ??= segment.start;
    if (ABBREVIATION.test(text.slice(segment.start, segment.end))) continue;
    push(sentences, text, from, segment.end);
    from = undefined;
  }
  if (from !== undefined) push(sentences, text, from, end);
  return sentences;
}

/** Divides a part of a text as the segmenter would, but in windows. Each begins where a segment begins. */
function* segmentsOf(text: string, start: number, end: number): Generator<Span> {
  let length = windowLength;
  for (let from = start; from < end;) {
    const until = Math.min(end, from + length);
    const first = from;
    for (const segment of certainSegments(text, first, until, end)) {
      yield segment;
      from = segment.end;
      // The rest of a window that was enlarged for a long sentence is read in small ones.
      if (from - first >= windowLength) break;
    }
    length = from > first ? windowLength : 2 * length;
  }
}

/**
 * The segments of the window from `from` to `until` that do not depend on the text behind it, which ends at `end`. Whether a full stop ends
 * a sentence is decided by the next letter or mark, however far away; what is before a boundary does not matter to those behind it. So a
 * boundary is certain once another one follows, which is not the end of the window.
 */
function* certainSegments(text: string, from: number, until: number, end: number): Generator<Span> {
  let last: Span | undefined;
  for (const { segment, index } of segmenter.segment(text.slice(from, until))) {
    // It begins at a boundary within the window, so that the one before it is certain.
    const next = { start: from + index, end: from + index + segment.length };
    if (last && (until === end || next.end < until)) yield last;
    last = next;
  }
  if (last && until === end) yield last;
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
