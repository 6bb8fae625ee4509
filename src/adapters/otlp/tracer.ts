import { context, type Tracer } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';

export interface OpenTracer {
  readonly tracer: Tracer;
  /** Sends what was recorded, within `closeMs` at most. */
  close(): Promise<void>;
}

const closeMs = 3_000;

/**
 * Records spans and sends them in batches by OTLP over HTTP. Where to, which of them, and the attributes of the resource follow
 * OpenTelemetry's variables (`OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_TRACES_SAMPLER`, `OTEL_SERVICE_NAME`, …). What the receiver does not
 * take is dropped; `onError` is then called.
 */
export function openTracer(version: string, onError: (error: Error) => void): OpenTracer {
  setGlobalErrorHandler((error) => {
    if (error instanceof Error) onError(error);
    else onError(new Error(typeof error === 'string' ? error : error.message));
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const own = resourceFromAttributes({ 'service.name': 'stratalog', 'service.version': version });
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  return {
    tracer: provider.getTracer('stratalog', version),
    async close() {
      await Promise.race([
        provider.shutdown(),
        new Promise<void>((resolve) => setTimeout(resolve, closeMs).unref()),
      ]);
      context.disable();
    },
  };
}
