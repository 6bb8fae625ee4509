const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

interface TimeProps {
  /** RFC 3339. */
  readonly at: string;
  /** Whether the time itself is shown instead of how long ago it was. */
  readonly exact?: boolean;
}

/** A time in the reader's zone; UTC on hover. */
export function Time({ at, exact = false }: TimeProps) {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return <span>{at}</span>;
  const inUtc = `${time.toISOString().replace('T', ' ').replace('Z', '')} UTC`;
  const seconds = (time.getTime() - Date.now()) / 1_000;
  const [unit, size] = units.find(([, least]) => Math.abs(seconds) >= least) ?? ['second', 1];
  return (
    <time dateTime={at} title={exact ? inUtc : `${absolute.format(time)}\n${inUtc}`}>
      {exact ? absolute.format(time) : relative.format(Math.round(seconds / size), unit)}
    </time>
  );
}
