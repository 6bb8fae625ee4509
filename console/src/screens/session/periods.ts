const hourMs = 3_600_000;

/** Times that the list of sessions can cover, by their name in the address. */
export const periods = {
  hour: { name: 'Last hour', ms: hourMs },
  day: { name: 'Last 24 hours', ms: 24 * hourMs },
  week: { name: 'Last 7 days', ms: 7 * 24 * hourMs },
  month: { name: 'Last 30 days', ms: 30 * 24 * hourMs },
  all: { name: 'All', ms: Number.POSITIVE_INFINITY },
} as const;

export type Period = keyof typeof periods;

export function periodNamed(name: string | undefined): Period {
  return name !== undefined && Object.hasOwn(periods, name) ? (name as Period) : 'day';
}

/** When the period began, rounded down to the minute so that a repeated view makes the same call; undefined for all. */
export function beginOf(period: Period, end: number): string | undefined {
  const { ms } = periods[period];
  return Number.isFinite(ms) ? new Date(Math.floor((end - ms) / 60_000) * 60_000).toISOString() : undefined;
}
