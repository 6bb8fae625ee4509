import { parseInstant } from '../../domain/instant.ts';

/** What a report is about: from `from`, inclusive, to `to`, exclusive. */
export interface Range {
  readonly from: Date;
  readonly to: Date;
}

export interface RangeOptions {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The range cannot be reported on. The message names the option and what it takes. */
export class RangeInvalid extends Error {
  override readonly name = 'RangeInvalid';
}

const defaultDays = 30;

/** The range that options name. Default: the 30 days before `to` from midnight in UTC, and until now. Throws `RangeInvalid`. */
export function rangeOf({ from, to }: RangeOptions, now: Date): Range {
  const end = to === undefined ? now : instantOf('--to', to);
  const begin = from === undefined ? daysBefore(end) : instantOf('--from', from);
  if (begin > now)
    throw new RangeInvalid(
      `${from === undefined ? '--to is too far' : '--from is'} in the future: the range would begin at ${begin.toISOString()}, and it is ${now.toISOString()}`,
    );
  if (begin >= end)
    throw new RangeInvalid(`--from (${begin.toISOString()}) must be before --to (${end.toISOString()})`);
  return { from: begin, to: end };
}

/** The name of a report: its dates in UTC, with the time of day unless it is midnight. */
export function fileNameOf({ from, to }: Range): string {
  return `stratalog-report-${nameOf(from)}-${nameOf(to)}.html`;
}

function instantOf(option: string, text: string): Date {
  const instant = parseInstant(text);
  if (instant) return instant;
  throw new RangeInvalid(
    `option '${option} <time>' value '${text}' is invalid. It must be a date such as 2026-11-01 or 2026-11, which is its first midnight in UTC, or an RFC 3339 time with an offset such as 2026-11-01T09:00:00Z`,
  );
}

function daysBefore(end: Date): Date {
  const begin = new Date(end);
  begin.setUTCHours(0, 0, 0, 0);
  begin.setUTCDate(begin.getUTCDate() - defaultDays);
  return begin;
}

function nameOf(instant: Date): string {
  const [day, time = ''] = instant.toISOString().split('T');
  const clock = time.slice(0, 5).replace(':', '');
  return clock === '0000' ? day! : `${day}T${clock}Z`;
}
