import { randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Router } from '@koa/router';
import Koa, { type Context, type Next } from 'koa';
import type { Logger } from 'pino';
import { invalid, Problem } from '../domain/problems.ts';
import { inBackground } from '../support/background.ts';
import type { Metrics } from '../ports/metrics.ts';
import { developmentIdentity, masterIdentity, type Authenticator } from './authenticate.ts';
import { assertLocal } from './loopback.ts';
import { browsableDocs } from './docs-page.ts';
import { asyncApiDocument } from './asyncapi.ts';
import { BrokenRequests } from './broken-requests.ts';
import { lingering } from './lingering.ts';
import { openApiDocument } from './openapi.ts';
import { asProblem, problemDocument } from './problem.ts';
import { assertUtf8, commandContext, readJson, traceIdOf } from './request.ts';
import { emptyBody, type Answer, type Route } from './route.ts';
import { routes } from './routes/index.ts';
import { measure, requestDurations } from './request-durations.ts';
import type { Readiness } from '../readiness.ts';
import type { Services } from '../services.ts';

export interface HttpServer {
  readonly url: string;
  /** Takes no new requests and resolves when those under way are answered, at most after `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

/** The calls below /v1. */
export interface Api {
  readonly services: Services;
  readonly authenticator: Authenticator;
  /** Of the names in `/asyncapi.json`. */
  readonly topicPrefix: string;
}

export interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  readonly ready: () => Promise<Readiness>;
  readonly metrics: Metrics;
  /** Without it only health and metrics are served. */
  readonly api: Api | undefined;
}

/** Serves health, metrics and the API. Rejects with the system's error (`EADDRINUSE`, …) where it cannot listen. */
export async function startHttpServer(options: HttpServerOptions, logger: Logger): Promise<HttpServer> {
  const { host, port } = options;
  const closing = new AbortController();
  const answer = createKoa(options, closing.signal, logger).callback();
  const broken = new BrokenRequests();
  // Node's own refusal of a request without Host is no problem document.
  const server = http.createServer({ requireHostHeader: false });
  const take = (request: http.IncomingMessage, response: http.ServerResponse) => {
    broken.begin(request, response);
    // A client that never pauses would be served on its open connection until that is cut.
    if (closing.signal.aborted) response.setHeader('Connection', 'close');
    void answer(request, response);
  };
  server.on('request', take);
  // Node's own refusal of an Expect is no problem document either.
  server.on('checkExpectation', take);
  server.on('clientError', (error, socket) => broken.refuse(error, socket));
  server.on('connect', (_, socket) => broken.refuseConnect(socket));
  // A bulk body may stream for long; a silent connection may not.
  server.requestTimeout = 0;
  server.headersTimeout = 30_000;
  // Longer than balancers and clients keep an idle connection: whoever ends it first must not be who waits for requests.
  server.keepAliveTimeout = 75_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { address, port: actual, family } = server.address() as AddressInfo;
  const shown = family === 'IPv6' ? `[${address}]` : address;
  return {
    url: `http://${shown}:${actual}`,
    close: (graceMs = 10_000) => {
      closing.abort();
      return closeGracefully(server, graceMs);
    },
  };
}

async function closeGracefully(server: http.Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}

function createKoa({ ready, metrics, api }: HttpServerOptions, closing: AbortSignal, logger: Logger): Koa {
  const koa = new Koa();
  const durations = requestDurations(metrics.meter);
  // A path is spelled as it is documented; any other is unknown.
  const router = new Router({ strict: true, sensitive: true });
  serveHealth(router, ready, metrics);
  if (api) serveApi(router, api, closing, logger);
  const fixed = methodsByFixedPath(routes);
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

/** The client went away in the middle of an answer, or no longer sends HTTP: nobody is left to tell, and no fault of ours. */
function isOfTheConnection({ code = '' }: NodeJS.ErrnoException): boolean {
  return code.startsWith('HPE_') || ['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'].includes(code);
}

/** An answer that was broken off for a reason that its caller would be told of, had it not begun. */
function isOfTheCaller(error: Error): boolean {
  return error instanceof Problem && error.status < 500;
}

/** Whoever watches the program comes as regularly as its own housekeeping: its upkeep does not wait for a pause in that. */
function serveHealth(router: Router, ready: () => Promise<Readiness>, metrics: Metrics): void {
  router.get('/livez', (context) => {
    context.body = { status: 'alive' };
  });
  router.get('/readyz', async (context) => {
    const readiness = await inBackground(ready);
    context.status = readiness.status === 'ready' ? 200 : 503;
    if (context.status === 503) context.set('Retry-After', '2');
    context.body = readiness;
  });
  router.get('/metrics', async (context) => {
    context.type = metrics.contentType;
    context.body = await inBackground(() => metrics.text());
  });
}

function serveApi(
  router: Router,
  { services, authenticator, topicPrefix }: Api,
  closing: AbortSignal,
  logger: Logger,
): void {
  const document = openApiDocument(routes);
  const topicsDocument = asyncApiDocument(topicPrefix);
  router.get('/openapi.json', (context) => {
    context.body = document;
  });
  router.get('/asyncapi.json', (context) => {
    context.body = topicsDocument;
  });
  browsableDocs(router);
  const fixed = methodsByFixedPath(routes);
  for (const route of routes) {
    router[route.method](route.path, (context: Context) => {
      // Its name is no id: `GET /v1/memories/bulk` asks for no memory.
      const methods = route.path === context.path ? undefined : fixed.get(context.path);
      if (methods) throw methodNotAllowed(context, methods);
      return serve(route, context, services, authenticator, closing, logger);
    });
  }
}

/** Of the paths without parameters. */
function methodsByFixedPath(all: readonly Route[]): ReadonlyMap<string, string> {
  const methods = new Map<string, string>();
  for (const { method, path } of all) {
    if (path.includes(':')) continue;
    const own = method === 'get' ? 'HEAD, GET' : method.toUpperCase();
    const others = methods.get(path);
    methods.set(path, others ? `${others}, ${own}` : own);
  }
  return methods;
}

/** A fixed path is no id: the methods of the path with the id are none of its own. */
async function allowOwnMethods(
  koa: Context,
  next: () => Promise<unknown>,
  fixed: ReadonlyMap<string, string>,
): Promise<void> {
  await next();
  const methods = fixed.get(koa.path);
  if (methods && koa.response.get('Allow') !== '') koa.set('Allow', methods);
}

function methodNotAllowed(koa: Context, methods: string): Problem {
  koa.set('Allow', methods);
  return new Problem('method-not-allowed', `this path has no such method, but ${methods}`);
}

async function serve(
  route: Route,
  koa: Context,
  services: Services,
  authenticator: Authenticator,
  closing: AbortSignal,
  logger: Logger,
): Promise<void> {
  const requestId = koa.state['requestId'] as string;
  const credential = koa.get('authorization') || undefined;
  const caller = await authenticator.authenticate(credential);
  koa.state['tenant'] = caller.tenant;
  if (caller === developmentIdentity) assertLocal(koa.headers);
  if (caller === masterIdentity && !(route.path === '/v1/admin/keys' && route.method === 'post')) {
    throw new Problem('forbidden', 'the master key creates tenants and keys and may do nothing else');
  }
  const params = route.params ? route.params.parse(koa['params']) : {};
  const query = readQuery(route, koa);
  const sent = route.body ? await readJson(koa, route) : undefined;
  const body = route.body ? route.body.parse(sent) : undefined;
  if (route.command && !route.body && !route.streamsBody) await refuseFields(koa, route);
  const context = commandContext(koa, caller, requestId, sent, services.commands.vault);
  const isStillValid = () => authenticator.isStillValid(credential);
  const assertStillValid = () => authenticator.assertStillValid(credential);
  const call = {
    caller,
    isStillValid,
    assertStillValid,
    closing,
    context,
    failure: failureOf(logger, requestId),
    koa,
    requestId,
    params,
    query,
    body,
  };
  // Each schema was applied to its own part just above.
  reply(koa, await route.handle(call, services));
}

/** A command that takes no body may come with an empty one. */
async function refuseFields(koa: Context, route: Route): Promise<void> {
  emptyBody.body.parse(await readJson(koa, { ...route, bodyOptional: true }));
}

function readQuery(route: Route, koa: Context): unknown {
  assertUtf8(koa.querystring);
  const sent = { ...koa.query };
  if (route.query) return route.query.parse(sent);
  const [unknown] = Object.keys(sent);
  if (unknown !== undefined) {
    throw new Problem('validation-failed', `${unknown} is not a parameter of this call`, {
      errors: [{ path: unknown, message: 'is not a known parameter' }],
    });
  }
  return {};
}

function reply(koa: Context, { status, body, headers = {}, replayed }: Answer): void {
  koa.status = status;
  koa.set(headers);
  if (replayed) koa.set('Idempotency-Replayed', 'true');
  koa.body = body;
}

async function answerErrors(koa: Context, next: Next, logger: Logger): Promise<void> {
  const requestId = readRequestId(koa.get('x-request-id'));
  koa.state['requestId'] = requestId;
  koa.set('x-request-id', requestId);
  const started = performance.now();
  const path = readPath(koa);
  try {
    if (path === undefined) throw new Problem('malformed-request', 'the target of the request is not a URL');
    if (koa.req.httpVersion === '1.1' && koa.headers.host === undefined) throw invalid('Host', 'is required');
    assertExpectation(koa.headers.expect);
    await next();
    if (koa.status === 404 && koa.body === undefined) {
      throw new Problem('not-found', 'there is no such path; /openapi.json lists them all');
    }
    if (koa.status === 405 || koa.status === 501) {
      throw methodNotAllowed(koa, koa.response.get('allow'));
    }
  } catch (error) {
    const problem = asProblem(error);
    logFailure(logger, requestId, problem);
    koa.status = problem.status;
    if (problem.retryAfter !== undefined) koa.set('Retry-After', String(problem.retryAfter));
    if (problem.code === 'unauthenticated') koa.set('WWW-Authenticate', 'Bearer');
    refuse(koa, Buffer.from(JSON.stringify(problemDocument(problem, requestId))));
  } finally {
    const ms = Math.round((performance.now() - started) * 10) / 10;
    const { method, status } = koa;
    const traceId = traceIdOf(koa);
    logger.debug({ requestId, traceId, method, path, status, ms, tenant: koa.state['tenant'] }, 'request');
  }
}

/** Of a body that was refused half-way the rest does not count: the connection is closed behind it. */
function refuse(koa: Context, document: Buffer): void {
  const isWhole = koa.req.complete;
  koa.body = isWhole ? document : lingering(document, koa.req);
  koa.length = document.length;
  koa.type = 'application/problem+json';
  if (!isWhole) koa.set('Connection', 'close');
}

/** Node itself meets the one expectation that there is. */
function assertExpectation(expect: string | undefined): void {
  if (expect === undefined || /(?:^|\W)100-continue(?:$|\W)/i.test(expect)) return;
  throw new Problem('expectation-failed', 'of Expect, only 100-continue can be met');
}

function readPath(koa: Context): string | undefined {
  try {
    return koa.path;
  } catch {
    return undefined;
  }
}

/** Of a body of many lines each may fail by what fails all of them: that is logged once. */
function failureOf(logger: Logger, requestId: string): (error: unknown) => Problem {
  const told = new Set<string>();
  return (error) => {
    const problem = asProblem(error);
    if (!told.has(problem.code)) logFailure(logger, requestId, problem);
    told.add(problem.code);
    return problem;
  };
}

/** A time-out is an answer; a server that does not answer is a warning; the rest is our fault. */
function logFailure(logger: Logger, requestId: string, problem: Problem): void {
  if (problem.status < 500 || problem.code === 'position-timeout') return;
  const entry = { requestId, code: problem.code, err: problem.cause ?? problem };
  if (problem.code === 'internal') logger.error(entry, 'request failed');
  else logger.warn(entry, 'request could not be answered');
}

/** The caller's own id if it is harmless in logs and headers, else a fresh one. */
function readRequestId(sent: string): string {
  return /^[A-Za-z0-9._-]{1,128}$/.test(sent) ? sent : randomUUID();
}
