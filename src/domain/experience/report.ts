/** Searches of one group and how they ended. */
export interface GroupCounts {
  readonly searches: number;
  readonly successes: number;
  readonly partial: number;
  readonly failures: number;
}

/** An estimate with its 95 % interval. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export interface GroupReport extends GroupCounts {
  /** Share of the searches with an outcome that succeeded; a partial success counts half. Absent without an outcome. */
  readonly successRate?: Estimate;
  /** Searches with an outcome for each success. Absent without a success. */
  readonly searchesPerSuccess?: Estimate;
}

/** The 97.5 % quantile of the standard normal distribution. */
const z = 1.96;

/** The counts with the success rate and the searches for each success, with 95 % intervals. */
export function groupReport(counts: GroupCounts): GroupReport {
  const total = counts.successes + counts.partial + counts.failures;
  if (total === 0) return counts;
  const rate = (counts.successes + counts.partial / 2) / total;
  const successRate = wilson(rate, total);
  return {
    ...counts,
    successRate,
    ...(rate > 0 && {
      searchesPerSuccess: {
        value: 1 / rate,
        low: 1 / successRate.high,
        high: 1 / successRate.low,
      },
    }),
  };
}

/** Score interval of a proportion (Wilson, "Probable inference", 1927). */
function wilson(rate: number, total: number): Estimate {
  const square = z * z;
  const center = (rate + square / (2 * total)) / (1 + square / total);
  const half =
    (z * Math.sqrt((rate * (1 - rate)) / total + square / (4 * total * total))) / (1 + square / total);
  return { value: rate, low: Math.max(0, center - half), high: Math.min(1, center + half) };
}

/** Success rate with experience minus without, by the normal approximation; undefined while either group has no outcome. */
export function difference(withIt: GroupCounts, without: GroupCounts): Estimate | undefined {
  const [one, other] = [withIt, without].map(({ successes, partial, failures }) => {
    const total = successes + partial + failures;
    const rate = (successes + partial / 2) / total;
    return { total, rate, variance: (rate * (1 - rate)) / total };
  }) as [Sample, Sample];
  if (one.total === 0 || other.total === 0) return undefined;
  const value = one.rate - other.rate;
  const half = z * Math.sqrt(one.variance + other.variance);
  return { value, low: value - half, high: value + half };
}

interface Sample {
  readonly total: number;
  readonly rate: number;
  readonly variance: number;
}
