import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { Metrics } from '../../ports/metrics.ts';

/** Time limit for the gauges: one that waits for a server must not delay the whole response. */
const readingMs = 3_000;

/** Metrics in Prometheus' text format. `onError` is called for each gauge that failed. */
export function openMetrics(onError: (error: unknown) => void): Metrics {
  const reader = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [reader] });
  const serializer = new PrometheusSerializer('', false, undefined, true, true);
  return {
    meter: provider.getMeter('stratalog'),
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    async text() {
      const { resourceMetrics, errors } = await reader.collect({ timeoutMillis: readingMs });
      errors.forEach(onError);
      return serializer.serialize(resourceMetrics);
    },
    close: () => provider.shutdown(),
  };
}
