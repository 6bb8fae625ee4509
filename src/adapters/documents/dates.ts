const months = [
  'jan',
  'feb',
  'mar|mär|mrz',
  'apr',
  'may|mai',
  'jun',
  'jul',
  'aug',
  'sep',
  'oct|okt',
  'nov',
  'dec|dez',
].map((names) => new RegExp(`^(?:${names})`, 'i'));
const dayFirst = /\b(\d{1,2})(?:st|nd|rd|th|\.)?\s+(\p{L}{3,9})\.?,?\s+(\d{4})\b/u;
const monthFirst = /\b(\p{L}{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,\s+(\d{4})\b/u;

/**
 * The RFC 3339 form of a date in a header, an attribute or a feed: ISO 8601 or RFC 2822. Without a time zone it is taken as UTC.
 * Undefined for anything that is not surely a date.
 */
export function timestampOf(written: string | undefined | null): string | undefined {
  const text = written?.trim().replace(/\s*\([^)]*\)$/, '') ?? '';
  if (!/\d{4}/.test(text)) return undefined;
  const isIso = /^\d{4}-\d\d(?:-\d\d)?/.test(text);
  const hasZone = /(?:Z|[+-]\d\d:?\d\d|\b[A-Z]{2,4})$/.test(text);
  const withZone = isIso && /T?\d\d:\d\d/.test(text) && !hasZone ? `${text.replace(' ', 'T')}Z` : text;
  // Names of zones that JavaScript does not know, such as CEST, give no date.
  for (const candidate of isIso
    ? [withZone]
    : [hasZone ? text : `${text} GMT`, text.replace(/\s+[A-Z]{3,5}$/, ' GMT')]) {
    const time = Date.parse(candidate);
    if (Number.isFinite(time) && time > 0) return new Date(time).toISOString();
  }
  return undefined;
}

/** The first date that is written out in a line, such as "2 May 2026", "May 2, 2026" or "2. Mai 2026"; months in English or German. */
export function dateInLine(line: string): string | undefined {
  const iso = /\b(\d{4})-(\d\d)-(\d\d)\b/.exec(line)?.[0];
  if (iso !== undefined) return timestampOf(iso);
  const [, day, dayMonth, dayYear] = dayFirst.exec(line) ?? [];
  const [, month, monthDay, monthYear] = monthFirst.exec(line) ?? [];
  return calendarDay(dayYear ?? monthYear, dayMonth ?? month, day ?? monthDay);
}

function calendarDay(
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
): string | undefined {
  const index = months.findIndex((name) => name.test(month ?? ''));
  if (year === undefined || day === undefined || index === -1) return undefined;
  const date = new Date(Date.UTC(Number(year), index, Number(day)));
  return date.getUTCDate() === Number(day) ? date.toISOString() : undefined;
}
