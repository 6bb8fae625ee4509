import type { Meter } from '@opentelemetry/api';

/** Metrics of this process, recorded by OpenTelemetry's instruments. */
export interface Metrics {
  /** Creates counters, histograms and observable gauges. */
  readonly meter: Meter;
  readonly contentType: string;
  /** All current values. A gauge that fails or takes longer than three seconds is left out. */
  text(): Promise<string>;
  close(): Promise<void>;
}
