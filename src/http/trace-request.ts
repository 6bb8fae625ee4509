import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import type { Context, Next } from 'koa';
import { inSpan } from '../support/tracing.ts';

/** Asked for all the time, by machines. */
const untraced: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics']);

/**
 * Does the work of a request within a span, which continues the trace of the header `traceparent`. It ends when the answer begins, as the
 * metric of durations does; what a stream does later belongs to its trace all the same. The path is only named by its route.
 */
export async function traceRequest(koa: Context, next: Next): Promise<void> {
  if (untraced.has(koa.path)) return next();
  const remote = parseTraceParent(koa.get('traceparent'));
  const what = {
    name: koa.method,
    kind: SpanKind.SERVER,
    parent: remote ? trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true }) : ROOT_CONTEXT,
    attributes: { 'http.request.method': koa.method },
  };
  await inSpan(what, async (span) => {
    await next();
    const route = koa['_matchedRoute'] as string | undefined;
    const tenant = koa.state['tenant'] as string | undefined;
    if (route !== undefined) span?.updateName(`${koa.method} ${route}`).setAttribute('http.route', route);
    if (tenant !== undefined) span?.setAttribute('stratalog.tenant', tenant);
    span?.setAttribute('stratalog.request_id', koa.state['requestId'] as string);
    span?.setAttribute('http.response.status_code', koa.status);
    if (koa.status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
  });
}
