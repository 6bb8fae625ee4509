/** Places to cut at, best first: paragraphs, lines, sentences, words. */
const breaks = ['\n\n', '\n', '. ', ' '];

/**
 * The part of a text around a passage: at most `max` UTF-16 units, about as many before the passage as after it, cut between
 * paragraphs, lines, sentences or words. Never less than the passage; offsets are UTF-16 units, `end` is exclusive.
 */
export function surroundings(
  text: string,
  passage: { readonly start: number; readonly end: number },
  max: number,
): { readonly start: number; readonly end: number } {
  const free = Math.max(0, max - (passage.end - passage.start));
  // What one side does not need is given to the other.
  const before = Math.min(passage.start, Math.max(Math.floor(free / 2), free - (text.length - passage.end)));
  const after = Math.min(text.length - passage.end, free - before);
  const start = passage.start - before;
  const end = passage.end + after;
  return {
    start: start === 0 ? 0 : start + firstBreak(text.slice(start, passage.start)),
    end: end === text.length ? end : passage.end + lastBreak(text.slice(passage.end, end)),
  };
}

/** Where the first whole piece begins; the end of the text if there is no break. */
function firstBreak(text: string): number {
  for (const mark of breaks) {
    const at = text.indexOf(mark);
    if (at >= 0 && at < text.length / 2) return at + mark.length;
  }
  return text.length;
}

/** Where the last whole piece ends; 0 if there is no break. */
function lastBreak(text: string): number {
  for (const mark of breaks) {
    const at = text.lastIndexOf(mark);
    if (at >= text.length / 2) return at + mark.trimEnd().length;
  }
  return 0;
}
