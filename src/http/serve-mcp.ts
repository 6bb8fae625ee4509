import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { Router } from '@koa/router';
import { toWebRequest, type NodeIncomingMessageLike } from '@modelcontextprotocol/node';
import type { Context } from 'koa';
import { Problem } from '../domain/problems.ts';
import { createMcpEndpoint, type McpEndpoint, type ServerFor } from '../mcp/endpoint.ts';
import { explainer } from './errors.ts';
import { assertOwnOrigin } from './loopback.ts';
import { maxBodyBytes, traceIdOf } from './request.ts';
import { endOf, identify, type ServingContext } from './serve-operation.ts';

const path = '/mcp';

type McpContext = Pick<ServingContext, 'authenticator' | 'closing' | 'logger'>;

/** Adds the route of MCP over streamable HTTP. It takes the credentials of the other routes. */
export function serveMcp(router: Router, serverFor: ServerFor, context: McpContext): void {
  const { closing, logger } = context;
  const endpoint = createMcpEndpoint(serverFor, {
    maxBodyBytes,
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
  const signal = endOf(koa, closing);
  const request = await read(koa, signal);
  const response = await endpoint.answer(request, {
    caller,
    credential,
    requestId,
    traceId: traceIdOf(koa),
    signal,
    explain: explainer(logger, requestId),
  });
  koa.status = response.status;
  for (const [name, value] of response.headers) koa.set(name, value);
  // The types of the two libraries name the same stream.
  koa.body = response.body === null ? null : Readable.fromWeb(response.body as ReadableStream<Uint8Array>);
  koa.status = response.status;
}

async function read(koa: Context, signal: AbortSignal): Promise<Request> {
  try {
    const received = koa.req as NodeIncomingMessageLike;
    return await toWebRequest(received, undefined, { signal, maxRequestBodySize: maxBodyBytes });
  } catch (error) {
    if ((error as Error).name === 'RequestBodyTooLargeError')
      throw new Problem('body-too-large', `the body has more than ${maxBodyBytes} bytes`);
    throw new Problem('malformed-json', 'the body ended before it was complete', { cause: error });
  }
}
