import { randomUUID } from 'node:crypto';
import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
  type ResultTypeMap,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { idempotencyKeyName } from '../../mcp/call-tool.ts';
import { guide } from '../../mcp/guide.ts';
import { serverInfo } from '../../mcp/server.ts';
import { Lists, type Ask } from './lists.ts';
import { RequestRefused, TargetGone, type Message, type Post } from './json-rpc.ts';

/** Sends a request to the process that serves the memory. Throws `TargetGone` or `RequestRefused`. */
export type Send = (request: Omit<Post, 'headers' | 'tools'>) => Promise<Message>;

const passedOn = [
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
] as const;

/** An MCP server that has no memory itself: it passes each request on. */
export function forwardingServer(version: string, send: Send): Server {
  const server = new Server(serverInfo(version), {
    capabilities: {
      tools: { listChanged: true },
      resources: { listChanged: true },
      prompts: { listChanged: true },
    },
    instructions: guide,
  });
  const lists = new Lists(server);
  for (const method of passedOn)
    server.setRequestHandler(method, async ({ params }, context) => {
      const result = (await answerTo(method, params, context, send, lists)) as ResultTypeMap[typeof method];
      lists.received(method, result);
      return result;
    });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    try {
      const result = (await answerTo('tools/call', params, context, send, lists)) as CallToolResult;
      // The client may have gone.
      if (!result.isError) lists.called(params.name).catch(() => undefined);
      return result;
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      return { content: [{ type: 'text', text: failureText(error) }], isError: true };
    }
  });
  return server;
}

/**
 * The result of a request. A call carries a key of its own, so that it can be sent again when the answer was lost.
 */
async function answerTo(
  method: string,
  params: object | undefined,
  { mcpReq }: ServerContext,
  send: Send,
  lists: Lists,
): Promise<unknown> {
  const { _meta: meta, signal } = mcpReq;
  const lost = () => lists.lost();
  const { result, error } = await send({
    method,
    params: { ...params, _meta: { [idempotencyKeyName]: randomUUID(), ...meta } },
    signal,
    notified: ({ method, params }) => {
      // The client may have gone.
      if (method !== undefined)
        mcpReq.notify({ method, params: params as Record<string, unknown> }).catch(() => undefined);
    },
    lost,
  }).catch((failure: unknown) => {
    if (method === 'tools/call') throw failure;
    throw new ProtocolError(ProtocolErrorCode.InternalError, failureText(failure));
  });
  const ask: Ask = async (list) => {
    const own = { signal: new AbortController().signal, notified: () => undefined, lost };
    const { result, error } = await send({ method: list, params: {}, ...own });
    if (error) throw new ProtocolError(error.code, error.message);
    return result;
  };
  // The answer does not wait for the comparison. If that fails, the lists are compared after the next answer.
  lists.answered(ask).catch(lost);
  if (error) throw new ProtocolError(error.code, error.message, error.data);
  return result;
}

/** Why a call did not reach the memory, and what to do. */
function failureText(error: unknown): string {
  if (error instanceof RequestRefused)
    return error.status === 401
      ? `Refused: ${error.message}.\nWhat to do: Tell the user to set STRATALOG_API_KEY for this MCP server.`
      : `Refused (${error.status}): ${error.message}`;
  if (error instanceof TargetGone)
    return `The memory cannot be reached: ${error.message}.\nWhat to do: Try again in a few seconds; if it fails again, tell the user.`;
  return 'The call failed.\nWhat to do: Try again; if it fails again, tell the user.';
}
