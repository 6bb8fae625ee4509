import { context, diag, DiagLogLevel, ROOT_CONTEXT, type Tracer } from '@opentelemetry/api';
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
 * Records spans and sends them in batches by OTLP over HTTP. OpenTelemetry's variables (`OTEL_EXPORTER_OTLP_ENDPOINT`,
 * `OTEL_TRACES_SAMPLER`, `OTEL_SERVICE_NAME`, …) set the receiver, the sampler and the attributes of the resource. If the receiver does not
 * accept a batch, it is dropped and `onError` is called. `onIgnored` is called for each variable whose value cannot be used.
 */
export function openTracer(
  version: string,
  onError: (error: Error) => void,
  onIgnored: (message: string) => void,
): OpenTracer {
  setGlobalErrorHandler((error) => {
    const fault =
      error instanceof Error ? error : new Error(typeof error === 'string' ? error : error.message);
    // A batch is sent for many traces, and the failure belongs to none of them.
    context.with(ROOT_CONTEXT, () => onError(fault));
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const own = resourceFromAttributes({ 'service.name': 'stratalog', 'service.version': version });
  const provider = tellingIgnored(
    onIgnored,
    () =>
      new BasicTracerProvider({
        resource: defaultResource()
          .merge(own)
          .merge(detectResources({ detectors: [envDetector] })),
        spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
      }),
  );
  for (const name of ['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'])
    if (process.env[name]?.startsWith('grpc')) onIgnored(`${name}: spans are sent over HTTP alone`);
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

/** The libraries tell only their diagnostic logger about variables that they cannot use. */
function tellingIgnored<T>(onIgnored: (message: string) => void, read: () => T): T {
  const ignore = () => undefined;
  const logger = { error: onIgnored, warn: onIgnored, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  try {
    return read();
  } finally {
    diag.disable();
  }
}
