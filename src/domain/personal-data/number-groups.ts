/** Digits as they stand in a text, perhaps in groups with separators between them. */
export interface DigitRun {
  readonly start: number;
  readonly end: number;
  readonly digits: string;
}

/** One separator between digits: groups of a card or an account. */
const groups = /\d+(?:[ \u00a0./-]\d+)*/g;
/** No number that is looked for has more groups than this. */
const mostGroups = 8;

/**
 * Every series of neighbouring digit groups that has `from` to `to` digits in all, the longest from each group first. A digit that a
 * letter or another digit touches begins or ends none.
 */
export function* digitRuns(text: string, from: number, to: number): Generator<DigitRun> {
  for (const { 0: whole, index } of text.matchAll(groups)) {
    if (whole.length < from) continue;
    const parts = [...whole.matchAll(/\d+/g)].map((part) => ({
      start: index + part.index,
      end: index + part.index + part[0].length,
      digits: part[0],
    }));
    for (let first = 0; first < parts.length; first++) {
      if (isTouched(text, parts[first]!.start - 1)) continue;
      const found: DigitRun[] = [];
      let digits = '';
      for (let last = first; last < Math.min(parts.length, first + mostGroups); last++) {
        digits += parts[last]!.digits;
        if (digits.length > to) break;
        if (digits.length < from || isTouched(text, parts[last]!.end)) continue;
        found.push({ start: parts[first]!.start, end: parts[last]!.end, digits });
      }
      yield* found.reverse();
    }
  }
}

function isTouched(text: string, index: number): boolean {
  return index >= 0 && index < text.length && /[\p{L}\p{N}_]/u.test(text[index]!);
}

/** The text before a place, in lower case: words there say what a number is. */
export function wordsBefore(text: string, start: number, length = 32): string {
  return text.slice(Math.max(0, start - length), start).toLowerCase();
}
