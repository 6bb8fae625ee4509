/** A month that a question names, perhaps with its year. */
export interface AskedMonth {
  /** 0 is January. */
  readonly month: number;
  readonly year?: number;
}

const NAMES = 'january february march april may june july august september october november december'.split(
  ' ',
);
const YEAR = /\b((?:19|20)\d\d)\b/;
const NUMERIC = /\b((?:19|20)\d\d)-(0[1-9]|1[0-2])(?:-\d\d)?\b/g;
/** "may" and "march" are months where a capital inside of the sentence says so. */
const NAMED =
  /\b(january|february|april|june|july|august|september|october|november|december)\b|(?<=\S\s+)\b(March|May)\b/gi;

/** The months that a question names: "in June", "on 7 May 2023", "2023-05-07". A year counts for every month of it. */
export function askedMonths(question: string): AskedMonth[] {
  const numeric = [...question.matchAll(NUMERIC)].map(([, year, month]) => ({
    month: Number(month) - 1,
    year: Number(year),
  }));
  const year = YEAR.exec(question)?.[1];
  const named = [...question.matchAll(NAMED)]
    .filter(([name]) => !/^(?:march|may)$/.test(name))
    .map(([name]) => ({
      month: NAMES.indexOf(name.toLowerCase()),
      ...(year !== undefined && { year: Number(year) }),
    }));
  return [...numeric, ...named];
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
