/** A month that a question names, perhaps with its year. */
export interface AskedMonth {
  /** 0 is January. */
  readonly month: number;
  readonly year?: number;
}

const NAMES = 'january february march april may june july august september october november december'.split(
  ' ',
);
const YEAR = /\b(?:19|20)\d\d\b/g;
const NUMERIC = /\b((?:19|20)\d\d)-(0[1-9]|1[0-2])(?:-\d\d)?\b/g;
/** "may" and "march" are months where a capital inside of the sentence says so. */
const NAMED =
  /\b(january|february|april|june|july|august|september|october|november|december)\b|(?<=\S\s+)\b(March|May)\b/gi;
/** What stands between a month and its own year: "May 2023", "May 7th, 2023", "May of 2023". */
const BESIDE = /^(?:\s+\d{1,2}(?:st|nd|rd|th)?)?,?\s+(?:of\s+)?$/i;
/** What stands between months that share a year: "May and June 2024", "May/June 2024". */
const JOINED = /^[\s,/&–-]*(?:(?:and|or|to|until|through)\s+)?$/i;

/**
 * The months that a question names: "in June", "on 7 May 2023", "2023-05-07". A month has the year that stands beside it or
 * beside the one that it is joined with, else the last year before it, else the next.
 */
export function askedMonths(question: string): AskedMonth[] {
  const numeric = [...question.matchAll(NUMERIC)].map(([, year, month]) => ({
    month: Number(month) - 1,
    year: Number(year),
  }));
  return [...numeric, ...namedMonths(question)];
}

function namedMonths(question: string): AskedMonth[] {
  const years = [...question.matchAll(YEAR)].map(({ 0: year, index }) => ({ year: Number(year), index }));
  const names = [...question.matchAll(NAMED)].filter(([name]) => !/^(?:march|may)$/.test(name));
  const months: AskedMonth[] = [];
  let later: { readonly index: number; readonly year: number | undefined } | undefined;
  // From the last one on: what a month is joined with comes after it.
  for (const { 0: name, index } of names.toReversed()) {
    const upTo = (end: number) => question.slice(index + name.length, end);
    const next = years.find((one) => one.index > index);
    const beside = next && BESIDE.test(upTo(next.index)) ? next : undefined;
    const joined = later && JOINED.test(upTo(later.index)) ? later : undefined;
    const { year } = beside ?? joined ?? years.findLast((one) => one.index < index) ?? next ?? {};
    months.unshift({ month: NAMES.indexOf(name.toLowerCase()), ...(year !== undefined && { year }) });
    later = { index, year };
  }
  return months;
}

/** Whether an ISO 8601 time lies in one of the months, in UTC. */
export function isOfMonth(occurredAt: string, months: readonly AskedMonth[]): boolean {
  if (months.length === 0) return false;
  const time = new Date(occurredAt);
  return months.some(
    ({ month, year }) =>
      time.getUTCMonth() === month && (year === undefined || time.getUTCFullYear() === year),
  );
}
