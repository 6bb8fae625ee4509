import { randomUUID } from 'node:crypto';
import type { Context, Next } from 'koa';
import type { Logger } from 'pino';
import { asProblem, problemDocument } from '../api/problem.ts';
import { invalid, Problem } from '../domain/problems.ts';
import { isMemoryId } from '../domain/streams.ts';
import { lingering } from './lingering.ts';
import { traceIdOf } from './request.ts';

/** How problems are sent to clients of another API. */
export interface Dialect {
  readonly mediaType: string;
  /** Scheme of the credential. */
  readonly challenge: string;
}

const ownDialect: Dialect = { mediaType: 'application/problem+json', challenge: 'Bearer' };

export function useDialect(koa: Context, dialect: Dialect): void {
  koa.state['dialect'] = dialect;
}

function dialectOf(koa: Context): Dialect {
  return (koa.state['dialect'] as Dialect | undefined) ?? ownDialect;
}

/** Answers errors of the following middleware as problem documents, and logs the request. */
export async function answerErrors(koa: Context, next: Next, logger: Logger): Promise<void> {
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
    if (problem.code === 'unauthenticated') koa.set('WWW-Authenticate', dialectOf(koa).challenge);
    refuse(koa, Buffer.from(JSON.stringify(problemDocument(problem, requestId))));
  } finally {
    const ms = Math.round((performance.now() - started) * 10) / 10;
    const { method, status } = koa;
    const traceId = traceIdOf(koa);
    logger.debug(
      { requestId, traceId, method, path: loggedPath(koa, path), status, ms, tenant: koa.state['tenant'] },
      'request',
    );
  }
}

/** If the request was refused before its body was read, the connection is closed after the answer. */
function refuse(koa: Context, document: Buffer): void {
  const isWhole = koa.req.complete;
  koa.body = isWhole ? document : lingering(document, koa.req);
  koa.length = document.length;
  koa.type = dialectOf(koa).mediaType;
  if (!isWhole) koa.set('Connection', 'close');
}

/** `100-continue` is the only expectation that HTTP defines; Node itself meets it. */
function assertExpectation(expect: string | undefined): void {
  if (expect === undefined || /(?:^|\W)100-continue(?:$|\W)/i.test(expect)) return;
  throw new Problem('expectation-failed', 'the only Expect that is supported is 100-continue');
}

/**
 * The path as logs show it: that of the route. What a caller puts into a path may be content, such as an externalId, so of parameters
 * only ids that this server made are shown. A path without a route is not shown at all.
 */
function loggedPath(koa: Context, path: string | undefined): string | undefined {
  const route = koa['_matchedRoute'] as unknown;
  if (typeof route !== 'string' || path === undefined) return undefined;
  const sent = path.split('/');
  return route
    .split('/')
    .map((part, at) => (part.startsWith(':') && isMemoryId(sent[at] ?? '') ? sent[at] : part))
    .join('/');
}

function readPath(koa: Context): string | undefined {
  try {
    return koa.path;
  } catch {
    return undefined;
  }
}

/** Converts errors that fail a part of a request. Logs the first of each kind: one cause may fail every line of a body. */
export function explainer(logger: Logger, requestId: string): (error: unknown) => Problem {
  const logged = new Set<string>();
  return (error) => {
    const problem = asProblem(error);
    if (!logged.has(problem.code)) logFailure(logger, requestId, problem);
    logged.add(problem.code);
    return problem;
  };
}

/** These are regular answers, also where they are many. */
const expected: ReadonlySet<string> = new Set([
  'position-timeout',
  'not-supported',
  'overloaded',
  'deadline-exceeded',
]);

/** A time-out, a refusal under load and a call that is not supported are regular answers; a server that does not answer is a warning; anything else is a fault of this program. */
function logFailure(logger: Logger, requestId: string, problem: Problem): void {
  if (problem.status < 500 || expected.has(problem.code)) return;
  const entry = { requestId, code: problem.code, err: problem.cause ?? problem };
  if (problem.code === 'internal') logger.error(entry, 'request failed');
  else logger.warn(entry, 'request could not be answered');
}

/** The id that the caller sent, if it is safe in logs and headers; otherwise a new one. */
function readRequestId(sent: string): string {
  return /^[A-Za-z0-9._-]{1,128}$/.test(sent) ? sent : randomUUID();
}

export function methodNotAllowed(koa: Context, methods: string): Problem {
  koa.set('Allow', methods);
  return new Problem('method-not-allowed', `this path supports only ${methods}`);
}

/** The client went away before the answer was complete, or no longer sends HTTP. Not a fault of this program. */
export function isOfTheConnection({ code = '' }: NodeJS.ErrnoException): boolean {
  return code.startsWith('HPE_') || ['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'].includes(code);
}

/** A stream was ended for a reason that is sent to the caller as a problem if the answer has not begun. */
export function isOfTheCaller(error: Error): boolean {
  return error instanceof Problem && error.status < 500;
}
