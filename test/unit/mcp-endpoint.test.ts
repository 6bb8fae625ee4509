import { Server } from '@modelcontextprotocol/server';
import { beforeEach, describe, expect, it } from 'vitest';
import { asProblem } from '../../src/api/problem.ts';
import { developmentIdentity } from '../../src/api/identity/authenticate.ts';
import { createMcpEndpoint, type McpEndpoint } from '../../src/mcp/endpoint.ts';
import type { Session } from '../../src/mcp/session.ts';

/** Ids of the requests whose work was ended. */
let ended: string[];
let endpoint: McpEndpoint;

/** A tool that works until it is told to end. */
function waiting({ signal, requestId }: Session): Server {
  const server = new Server({ name: 'waiting', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/call', async () => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    ended.push(requestId);
    return { content: [{ type: 'text', text: 'ended' }] };
  });
  return server;
}

beforeEach(() => {
  ended = [];
  endpoint = createMcpEndpoint(waiting, { onError: () => undefined });
});

interface Sent {
  readonly client?: string | undefined;
  readonly principal?: string;
  readonly requestId?: string;
}

function send(body: unknown, { client, principal = 'ada', requestId = 'r' }: Sent = {}) {
  const connection = new AbortController();
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(client !== undefined && { 'mcp-session-id': client }),
  };
  const request = new Request('http://localhost/mcp', { method: 'POST', headers, signal: connection.signal });
  const answer = endpoint.answer(request, body, {
    caller: { ...developmentIdentity, principal },
    credential: { isStillValid: async () => true, assertStillValid: async () => undefined },
    requestId,
    signal: connection.signal,
    explain: asProblem,
  });
  return { answer, disconnect: () => connection.abort() };
}

const message = (method: string, params: object, id?: number) => ({
  jsonrpc: '2.0',
  method,
  params,
  ...(id !== undefined && { id }),
});
const initialize = message(
  'initialize',
  { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  0,
);
const call = message('tools/call', { name: 'wait', arguments: {} }, 1);
const cancel = message('notifications/cancelled', { requestId: 1 });

const newClient = async (): Promise<string> => {
  const { headers } = await send(initialize).answer;
  return headers.get('mcp-session-id')!;
};

describe('a client of the protocol of 2025', () => {
  it('[J3] cancels a call of its own with a second request', async () => {
    const client = await newClient();
    const running = await send(call, { client, requestId: 'mine' }).answer;
    expect((await send(cancel, { client }).answer).status).toBe(202);
    expect(await running.text()).toContain('ended');
    expect(ended).toEqual(['mine']);
  });

  it('[J3] does not cancel the calls of others, who use the same ids', async () => {
    const [client, other] = [await newClient(), await newClient()];
    expect(other).not.toBe(client);
    const running = [
      send(call, { client, requestId: 'mine' }),
      send(call, { client: other, requestId: 'of another client' }),
      send(call, { client, principal: 'eve', requestId: 'of another caller' }),
      send(call, { requestId: 'without a session' }),
    ];
    await Promise.all(running.map(({ answer }) => answer));
    await send(cancel, { client }).answer;
    await send(cancel).answer;
    expect(ended).toEqual(['mine']);
    for (const { disconnect } of running) disconnect();
  });

  it('[J3] ends its call when it disconnects', async () => {
    const { answer, disconnect } = send(call, { client: await newClient(), requestId: 'mine' });
    await answer;
    disconnect();
    await new Promise(setImmediate);
    expect(ended).toEqual(['mine']);
  });
});

it('[J2] [J3] refuses a body of very many messages', async () => {
  const response = await send(Array.from({ length: 51 }, () => call)).answer;
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: -32_600, message: /at most 50 messages/ } });
  expect(ended).toEqual([]);
});
