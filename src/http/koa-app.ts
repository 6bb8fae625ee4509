import { Router } from '@koa/router';
import Koa, { type Context, type Next } from 'koa';
import type { Logger } from 'pino';
import type { Histogram, Meter } from '@opentelemetry/api';
import type { Services } from '../api/services.ts';
import { asyncApiDocument } from './asyncapi.ts';
import type { Authenticator } from '../api/identity/authenticate.ts';
import type { Binding } from './binding.ts';
import { bindings } from './bindings/index.ts';
import { browsableDocs } from './docs-page.ts';
import { answerErrors, isOfTheCaller, isOfTheConnection, methodNotAllowed } from './errors.ts';
import { openApiDocument } from './openapi.ts';
import type { TenantContext } from '../domain/access/context.ts';
import { memoryServers } from '../mcp/endpoint.ts';
import { serveConsole } from './serve-console.ts';
import { serveHealth, type Health } from './serve-health.ts';
import { serveMem0 } from './serve-mem0.ts';
import { serveTlog } from './serve-tlog.ts';
import { serveMcp } from './serve-mcp.ts';
import { serveOperation } from './serve-operation.ts';
import { isTracing } from '../support/tracing.ts';
import { traceRequest } from './trace-request.ts';

/** What the operations below /v1 need. */
export interface Api {
  readonly services: Services;
  readonly authenticator: Authenticator;
  /** Prefix of the topic names in `/asyncapi.json`. */
  readonly topicPrefix: string;
  /** Whether everyone may read the log below `/tlog`. */
  readonly tlogIsPublic: boolean;
  /** Whether the web console is served. */
  readonly hasConsole: boolean;
  /** Version of this program. */
  readonly version: string;
}

export interface HttpApplication extends Health {
  /** If undefined, only health and metrics are served. */
  readonly api: Api | undefined;
}

/** Routes of health, metrics, documentation and, with `api`, the operations. `closing` is aborted when the server stops. */
export function createKoa({ api, ...health }: HttpApplication, closing: AbortSignal, logger: Logger): Koa {
  const koa = new Koa();
  const durations = requestDurations(health.metrics.meter);
  // Paths match exactly as documented.
  const router = new Router({ strict: true, sensitive: true });
  const positionOf =
    api && ((caller: TenantContext, position: number) => api.services.positions.of(caller, position));
  serveHealth(router, { ...health, ...(positionOf && { positionOf }) }, api?.authenticator);
  const fixed = methodsByFixedPath(bindings);
  if (api) serveApi(router, api, fixed, closing, logger);
  if (isTracing()) koa.use(traceRequest);
  koa.use((context, next) => measure(context, next, durations));
  koa.use((context, next) => answerErrors(context, next, logger));
  koa.use((context, next) => allowOwnMethods(context, next, fixed));
  koa.use(router.routes());
  koa.use(router.allowedMethods());
  koa.on('error', (error: NodeJS.ErrnoException) => {
    if (!isOfTheConnection(error) && !isOfTheCaller(error)) logger.error({ err: error }, 'response failed');
  });
  return koa;
}

function serveApi(
  router: Router,
  { services, authenticator, topicPrefix, version, tlogIsPublic, hasConsole }: Api,
  fixed: ReadonlyMap<string, string>,
  closing: AbortSignal,
  logger: Logger,
): void {
  // Built on demand: that takes a quarter of a second, which a process that a desktop client starts does not have.
  let document: ReturnType<typeof openApiDocument> | undefined;
  let topicsDocument: ReturnType<typeof asyncApiDocument> | undefined;
  router.get('/openapi.json', (context) => {
    context.body = document ??= openApiDocument(bindings);
  });
  router.get('/asyncapi.json', (context) => {
    context.body = topicsDocument ??= asyncApiDocument(topicPrefix);
  });
  browsableDocs(router);
  if (hasConsole) serveConsole(router);
  const context = { services, authenticator, closing, logger };
  serveMcp(router, memoryServers(services, version), context);
  serveMem0(router, context);
  serveTlog(router, context, { isPublic: tlogIsPublic });
  for (const binding of bindings) {
    router[binding.method](binding.path, (koa: Context) => {
      // A fixed path never matches an `:id`: `GET /v1/memories/bulk` is not a request for the memory `bulk`.
      const methods = binding.path === koa.path ? undefined : fixed.get(koa.path);
      if (methods) throw methodNotAllowed(koa, methods);
      return serveOperation(binding, koa, context);
    });
  }
}

/** Allowed methods of each path without parameters. */
function methodsByFixedPath(all: readonly Binding[]): ReadonlyMap<string, string> {
  const methods = new Map<string, string>();
  for (const { method, path } of all) {
    if (path.includes(':')) continue;
    const own = method === 'get' ? 'HEAD, GET' : method.toUpperCase();
    const others = methods.get(path);
    methods.set(path, others ? `${others}, ${own}` : own);
  }
  return methods;
}

/** Corrects `Allow` for a fixed path: the router also adds the methods of matching paths with an `:id`. */
async function allowOwnMethods(
  koa: Context,
  next: () => Promise<unknown>,
  fixed: ReadonlyMap<string, string>,
): Promise<void> {
  await next();
  const methods = fixed.get(koa.path);
  if (methods && koa.response.get('Allow') !== '') koa.set('Allow', methods);
}

/** Bucket boundaries in seconds, as advised by OpenTelemetry's conventions for HTTP servers. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** The metric of https://opentelemetry.io/docs/specs/semconv/http/http-metrics/#metric-httpserverrequestduration */
function requestDurations(meter: Meter): Histogram {
  return meter.createHistogram('http.server.request.duration', {
    description: 'Time from the arrival of a request to the start of its response',
    unit: 's',
    advice: { explicitBucketBoundaries: boundaries },
  });
}

/** Records by method, declared path (each id would be a series of its own) and status. */
async function measure(koa: Context, next: Next, durations: Histogram): Promise<void> {
  const started = performance.now();
  await next();
  const route = koa['_matchedRoute'] as string | undefined;
  durations.record((performance.now() - started) / 1_000, {
    'http.request.method': koa.method,
    'http.response.status_code': koa.status,
    ...(route !== undefined && { 'http.route': route }),
  });
}
