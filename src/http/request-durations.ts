import type { Histogram, Meter } from '@opentelemetry/api';
import type { Context, Next } from 'koa';

/** In seconds; advised by OpenTelemetry's conventions for HTTP servers. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** https://opentelemetry.io/docs/specs/semconv/http/http-metrics/#metric-httpserverrequestduration */
export function requestDurations(meter: Meter): Histogram {
  return meter.createHistogram('http.server.request.duration', {
    description: 'Time from the arrival of a request to the start of its response',
    unit: 's',
    advice: { explicitBucketBoundaries: boundaries },
  });
}

/** Records by method, declared path (each id would be a series of its own) and status. */
export async function measure(koa: Context, next: Next, durations: Histogram): Promise<void> {
  const started = performance.now();
  await next();
  const route = koa['_matchedRoute'] as string | undefined;
  durations.record((performance.now() - started) / 1_000, {
    'http.request.method': koa.method,
    'http.response.status_code': koa.status,
    ...(route !== undefined && { 'http.route': route }),
  });
}
