const minuteMs = 60_000;
const minutesPerHour = 60;

/** Offset of an RFC 3339 time from UTC, in minutes; positive east of Greenwich. */
export function offsetOf(time: string): number {
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(time) ?? [];
  if (sign === undefined) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * minutesPerHour + Number(minutes));
}

/** What a clock with this offset shows at a time: its date and hour are the UTC fields of the result. */
export function wallClock(time: Date, offset: number): Date {
  return new Date(time.getTime() + offset * minuteMs);
}

/** The same RFC 3339 time as a clock with this offset shows it, so that its first ten characters are the day by that clock. */
export function zoned(time: string, offset: number): string {
  if (offset === 0) return time;
  const two = (number: number) => String(number).padStart(2, '0');
  const [hours, minutes] = [Math.floor(Math.abs(offset) / minutesPerHour), Math.abs(offset) % minutesPerHour];
  const shown = wallClock(new Date(time), offset).toISOString().slice(0, -1);
  return `${shown}${offset < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`;
}

interface Range {
  /** ISO 8601, inclusive. */
  readonly from?: string;
  /** Exclusive. */
  readonly until?: string;
}

/** A range of days by a clock with this offset, as times in UTC. Days of UTC stay as they are written. */
export function rangeInUtc<Days extends Range>(range: Days, offset: number): Days {
  if (offset === 0) return range;
  const { from, until } = range;
  return {
    ...range,
    ...(from !== undefined && { from: whenShown(from, offset) }),
    ...(until !== undefined && { until: whenShown(until, offset) }),
  };
}

/** The time at which a clock with this offset shows a time. Only times of the years 1 to 9999 can be compared. */
function whenShown(shown: string, offset: number): string {
  const time = new Date(Date.parse(shown) - offset * minuteMs).toISOString();
  return /^(?!0000)\d{4}-/.test(time) ? time : shown;
}
