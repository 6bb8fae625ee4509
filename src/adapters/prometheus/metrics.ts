import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { Metrics } from '../../ports/metrics.ts';
import { CumulativeHistogram } from './signed-histogram.ts';

/** Time limit for the gauges: one that waits for a server must not delay the whole response. */
const readingMs = 3_000;

/** Metrics in Prometheus' text format. `onError` is called for each gauge that failed. */
export function openMetrics(onError: (error: unknown) => void): Metrics {
  const reader = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [reader] });
  const serializer = new PrometheusSerializer('', false, undefined, true, true);
  const name = 'stratalog';
  const signed: CumulativeHistogram[] = [];
  return {
    meter: provider.getMeter(name),
    signedHistogram(of, options) {
      const histogram = new CumulativeHistogram(of, options);
      signed.push(histogram);
      return histogram;
    },
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    async text() {
      const { resourceMetrics, errors } = await reader.collect({ timeoutMillis: readingMs });
      errors.forEach(onError);
      const own = { scope: { name }, metrics: signed.map((histogram) => histogram.data()) };
      return serializer.serialize({
        ...resourceMetrics,
        scopeMetrics: [...resourceMetrics.scopeMetrics, own],
      });
    },
    close: () => provider.shutdown(),
  };
}
