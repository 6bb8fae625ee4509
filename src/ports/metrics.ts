import type { Meter } from '@opentelemetry/api';

/** Figures of this process, kept by OpenTelemetry's instruments. */
export interface Metrics {
  /** Makes counters, histograms, and gauges that are read when they are asked for. */
  readonly meter: Meter;
  readonly contentType: string;
  /** All of them now. A gauge whose reading fails or takes longer than three seconds is left out. */
  text(): Promise<string>;
  close(): Promise<void>;
}
