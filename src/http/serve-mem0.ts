import type { Router } from '@koa/router';
import type { Context } from 'koa';
import type { RateState } from '../api/admission/rate-limits.ts';
import { Problem } from '../domain/problems.ts';
import { getMemory } from '../api/memories/get-memory.ts';
import { assertMasterMayCall } from '../api/perform.ts';
import type { Authenticator } from '../api/identity/authenticate.ts';
import { explainer, methodNotAllowed, useDialect } from './errors.ts';
import { translated } from './mem0/problems.ts';
import { matchRoute, mem0Routes, type Route } from './mem0/routes.ts';
import { Mem0Session } from './mem0/session.ts';
import { tellRate } from './rate-headers.ts';
import { defaultDeadlineMs, readDeadline, RequestEnd } from './request-end.ts';
import { assertUtf8, assertUtf8Path, headerText, readJson, traceIdOf } from './request.ts';
import { headerNames, identify, type ServingContext } from './serve-operation.ts';

const prefix = '/compat/mem0';

/** Adds the API of mem0, for its own clients. They take `detail` from a problem if it is `application/json`. */
export function serveMem0(router: Router, context: ServingContext): void {
  const routes = mem0Routes();
  router.all(`${prefix}/*rest`, async (koa: Context) => {
    useDialect(koa, { mediaType: 'application/json', challenge: 'Token' });
    try {
      koa.body = await answer(koa, routes, context);
    } catch (error) {
      throw error instanceof Problem ? translated(error) : error;
    }
  });
}

async function answer(koa: Context, routes: readonly Route[], context: ServingContext): Promise<unknown> {
  const { services, authenticator, closing, logger } = context;
  const authorization = await authorizationOf(koa, authenticator);
  const { caller, credential } = await identify(koa, authenticator, authorization);
  // As for other routes, the master key is told nothing about calls that it may not make.
  assertMasterMayCall(getMemory, caller);
  const match = matchRoute(routes, koa.method, koa.path.slice(prefix.length));
  if (!('route' in match)) {
    if (match.allowed.length > 0) throw methodNotAllowed(koa, match.allowed.join(', '));
    throw new Problem('not-found', 'the clients of mem0 have no such path; see docs/guides/mem0.md');
  }
  assertUtf8Path(koa.path, 'path');
  assertUtf8(koa.querystring);
  const requestId = koa.state['requestId'] as string;
  const deadlineMs = readDeadline(koa) ?? defaultDeadlineMs;
  const end = new RequestEnd(koa, closing);
  const request = {
    correlationId: requestId,
    traceId: traceIdOf(koa),
    reason: headerText(koa, headerNames.reason),
    cause: koa.get(headerNames.cause) || undefined,
    idempotencyKey: koa.get(headerNames.idempotencyKey) || undefined,
    fieldNames: headerNames,
    signal: end.signal,
    onRateLimit: (state: RateState) => tellRate(koa, state),
    credential,
    explain: explainer(logger, requestId),
  };
  const work = match.route.handle({
    params: Object.fromEntries(
      Object.entries(match.params).map(([name, value]) => [name, decodeURIComponent(value)]),
    ),
    query: { ...koa.query },
    url: `${koa.protocol}://${koa.host}${koa.path}`,
    session: new Mem0Session(caller, request, services),
    json: () => readJson(koa, {}),
  });
  return end.within(deadlineMs, Promise.resolve(work));
}

/**
 * The credential in the form of the other routes: mem0's clients send `Token <key>`. They insist on a key. So if this server requires
 * none, a key that is not in Stratalog's format counts as no key.
 */
async function authorizationOf(koa: Context, authenticator: Authenticator): Promise<string> {
  const sent = koa.get('authorization');
  const token = /^Token +(\S+)$/i.exec(sent)?.[1];
  if (token === undefined) return sent;
  const isOfOurs = /^(?:sl_|eyJ)/.test(token);
  if (!isOfOurs && (await authenticator.developmentIsOpen())) return '';
  return `Bearer ${token}`;
}
