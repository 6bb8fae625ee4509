import type { Meter } from '@opentelemetry/api';

/** Metrics of this process, recorded by OpenTelemetry's instruments. */
export interface Metrics {
  /** Creates counters, histograms and observable gauges. */
  readonly meter: Meter;
  /** A histogram without attributes for values of either sign. It is served from its creation on, with the count 0. */
  signedHistogram(name: string, options: SignedHistogramOptions): SignedHistogram;
  readonly contentType: string;
  /** All current values. A gauge that fails or takes longer than three seconds is left out. */
  text(): Promise<string>;
  close(): Promise<void>;
}

export interface SignedHistogramOptions {
  readonly description: string;
  /** Upper limits of the buckets, ascending. */
  readonly boundaries: readonly number[];
}

/** The histograms of a `Meter` drop negative values with a warning, and appear with their first value. */
export interface SignedHistogram {
  record(value: number): void;
}
