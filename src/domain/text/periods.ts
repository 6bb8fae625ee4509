import { absoluteForms } from './periods/absolute-forms.ts';
import type { Ends } from './periods/calendar.ts';
import type { FormMatch } from './periods/form.ts';
import { relativeForms } from './periods/relative-forms.ts';

/** A period that a text names, by the clock of whoever asks. */
export interface Period extends Ends {
  /** UTF-16 offsets of the words that name the period. */
  readonly start: number;
  readonly end: number;
  /** Whether the words can only be a time. A year or the name of a month alone can mean something else. */
  readonly isPlain: boolean;
  /** Whether it is named as being ahead of the time of asking: "tomorrow", "next week". */
  readonly isAhead: boolean;
}

const FORMS = [
  ...absoluteForms.map((form) => ({ ...form, isRelative: false })),
  ...relativeForms.map((form) => ({ ...form, isRelative: true })),
];
const CONTEXT = 40;

/**
 * Finds the periods that a question names, in order and without overlaps. Relative expressions ("March", "last quarter") are only read
 * if `now` is given, as the clock of whoever asks shows it (`wallClock`). A form that can mean several times ("11/12/2026") gives no
 * period.
 */
export function findPeriods(text: string, now?: Date): Period[] {
  const periods: Period[] = [];
  /** By UTF-16 unit: whether an earlier form has read it. */
  const claimed = new Uint8Array(text.length);
  for (const { pattern, read, isRelative } of FORMS) {
    for (const match of text.matchAll(pattern)) {
      const [start, end] = [match.index, match.index + match[0].length];
      if (claimed.subarray(start, end).includes(1)) continue;
      const found = read(formMatch(text, match), now);
      if (found === undefined || (found !== 'none' && !isPeriod(found))) continue;
      claimed.fill(1, start, end);
      if (found === 'none') continue;
      const isAhead = isRelative && now !== undefined && Date.parse(found.from) > now.getTime();
      periods.push({ isPlain: true, ...found, isAhead, start, end });
    }
  }
  return periods.sort((a, b) => a.start - b.start);
}

function formMatch(text: string, match: RegExpExecArray): FormMatch {
  const group = (name: string) => match.groups?.[name] ?? '';
  return {
    text: match[0],
    group,
    has: (name) => group(name) !== '',
    before: text.slice(Math.max(0, match.index - CONTEXT), match.index),
    after: text.slice(match.index + match[0].length, match.index + match[0].length + CONTEXT),
  };
}

/** Whether it has a length ("the next 0 weeks" has none), and both bounds are times that filters compare: of the years 1 to 9999. */
function isPeriod({ from, until }: Ends): boolean {
  const areWithinYears = [from, until].every((bound) => /^(?!0000)\d{4}(?:-|$)/.test(bound));
  return areWithinYears && Date.parse(from) < Date.parse(until);
}
