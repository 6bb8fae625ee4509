import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { Router } from '@koa/router';
import type { Context } from 'koa';
import { invalid, Problem } from '../domain/problems.ts';
import { createMcpEndpoint, rejection, type McpEndpoint, type ServerFor } from '../mcp/endpoint.ts';
import { toolSets, type ToolSet } from '../mcp/session.ts';
import { explainer } from './errors.ts';
import { assertOwnOrigin } from './loopback.ts';
import { readJson, traceIdOf } from './request.ts';
import { RequestEnd } from './request-end.ts';
import { identify, type ServingContext } from './serve-operation.ts';

const path = '/mcp';

type McpContext = Pick<ServingContext, 'authenticator' | 'closing' | 'logger'>;

const parseError = -32_700;

/** Adds the route of MCP over streamable HTTP. It takes the credentials of the other routes. */
export function serveMcp(router: Router, serverFor: ServerFor, context: McpContext): void {
  const { closing, logger } = context;
  const endpoint = createMcpEndpoint(serverFor, {
    // The message may quote what the client sent.
    onError: ({ name }) => logger.debug({ error: name }, 'a message of an MCP client was refused'),
  });
  closing.addEventListener('abort', () => void endpoint.close(), { once: true });
  router.post(path, (koa: Context) => serve(koa, endpoint, context));
}

async function serve(
  koa: Context,
  endpoint: McpEndpoint,
  { authenticator, closing, logger }: McpContext,
): Promise<void> {
  assertOwnOrigin(koa.headers);
  const { caller, credential } = await identify(koa, authenticator);
  const requestId = koa.state['requestId'] as string;
  const { signal } = new RequestEnd(koa, closing);
  const tools = toolSetOf(koa);
  const body = await bodyOf(koa);
  const response =
    body instanceof Response
      ? body
      : await endpoint.answer(withoutBody(koa, signal), body, {
          caller,
          credential,
          tools,
          requestId,
          traceId: traceIdOf(koa),
          signal,
          explain: explainer(logger, requestId),
        });
  koa.status = response.status;
  for (const [name, value] of response.headers) koa.set(name, value);
  // The types of the two libraries are different declarations of the same stream.
  koa.body = response.body === null ? null : Readable.fromWeb(response.body as ReadableStream<Uint8Array>);
  koa.status = response.status;
}

/** The set of tools that the address names, such as `/mcp?tools=core`. */
function toolSetOf(koa: Context): ToolSet | undefined {
  const { tools } = koa.query;
  if (tools === undefined) return undefined;
  const set = toolSets.find((each) => each === tools);
  if (!set) throw invalid('tools', `must be ${toolSets.join(' or ')}`);
  return set;
}

/** The parsed body, or the answer to one that is not JSON. */
async function bodyOf(koa: Context): Promise<unknown> {
  try {
    return await readJson(koa, {});
  } catch (error) {
    if (error instanceof Problem && error.code === 'malformed-json')
      return rejection(parseError, error.message);
    throw error;
  }
}

/** The request for the protocol's library, without its body, which the library gets parsed. */
function withoutBody({ headers }: Context, signal: AbortSignal): Request {
  const own = Object.entries(headers).filter(([name]) => name !== 'content-length');
  return new Request(`http://localhost${path}`, {
    method: 'POST',
    signal,
    headers: own.flatMap(([name, value]) =>
      [value ?? []].flat().map((each): [string, string] => [name, each]),
    ),
  });
}
