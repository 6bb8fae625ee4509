import { percentile } from '../support/statistics.ts';

/** One request of the load. Times are milliseconds since the run began. */
export interface Sample {
  /** Name of the tenant in the report. */
  readonly tenant: string;
  readonly isSearch: boolean;
  readonly atMs: number;
  readonly ms: number;
  readonly isAnswered: boolean;
}

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Quantiles {
  readonly count: number;
  readonly unanswered: number;
  readonly p50: number;
  readonly p95: number;
  readonly worst: number;
}

/** A fault may show in answers for some time after its end. */
const recoveryMs = 2_000;

export function quantiles(samples: readonly Sample[]): Quantiles {
  const times = samples.filter(({ isAnswered }) => isAnswered).map(({ ms }) => ms);
  return {
    count: samples.length,
    unanswered: samples.length - times.length,
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    worst: Math.max(...times, 0),
  };
}

/** Samples that were sent within one of the spans. */
export function during(samples: readonly Sample[], spans: readonly Span[]): Sample[] {
  return samples.filter(({ atMs }) => spans.some(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs));
}

/** Samples that were sent and answered outside of all spans and of the time right after them. */
export function apartFrom(samples: readonly Sample[], spans: readonly Span[]): Sample[] {
  return samples.filter(({ atMs, ms }) =>
    spans.every(({ fromMs, toMs }) => atMs >= toMs + recoveryMs || atMs + ms < fromMs),
  );
}

/** Those of the spans that no other one touches. */
export function alone<T extends Span>(spans: readonly T[], others: readonly Span[]): T[] {
  return spans.filter((span) =>
    others.every(
      (other) => other === span || other.toMs + recoveryMs <= span.fromMs || other.fromMs >= span.toMs,
    ),
  );
}

/** Time from the start of a fault until the first request that was sent after its end is answered, in milliseconds. */
export function answeredAfter(samples: readonly Sample[], { toMs }: Span): number | undefined {
  const ends = samples
    .filter(({ atMs, isAnswered }) => isAnswered && atMs >= toMs)
    .map(({ atMs, ms }) => atMs + ms);
  return ends.length === 0 ? undefined : Math.min(...ends) - toMs;
}

/** The 95th percentile of each `stepMs`; undefined where nothing was answered. */
export function p95ByTime(
  samples: readonly Sample[],
  stepMs: number,
  totalMs: number,
): (number | undefined)[] {
  const buckets: number[][] = Array.from({ length: Math.ceil(totalMs / stepMs) }, () => []);
  for (const { atMs, ms, isAnswered } of samples)
    if (isAnswered) buckets[Math.floor(atMs / stepMs)]?.push(ms);
  return buckets.map((times) => (times.length === 0 ? undefined : percentile(times, 0.95)));
}
