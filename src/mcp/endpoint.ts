import { randomUUID } from 'node:crypto';
import { createMcpHandler, type AuthInfo, type Server } from '@modelcontextprotocol/server';
import type { Services } from '../api/services.ts';
import { withoutNulls } from './message.ts';
import { createServer } from './server.ts';
import { Performer, type Session } from './session.ts';

/** Answers MCP requests over streamable HTTP, of the protocol with and without sessions. */
export interface McpEndpoint {
  /** `body` is the parsed body of the request, whose own body is not read. */
  answer(request: Request, body: unknown, session: Session): Promise<Response>;
  /** Ends the streams that are open. */
  close(): Promise<void>;
}

/** Makes the server that answers one request. */
export type ServerFor = (session: Session) => Server;

/** Servers with the tools, resources and prompts of this memory. */
export function memoryServers(services: Services, version: string): ServerFor {
  const performer = new Performer(services);
  return (session) => createServer(version, session, performer);
}

const sessionHeader = 'mcp-session-id';
const invalidRequest = -32_600;
/** Maximum number of messages in one body. The protocol of March 2025 allows several. */
const maxMessages = 50;

/**
 * Each request gets a server of its own, so any process can answer any request. The id of a session only says which client a
 * request comes from, so that a client of the protocol of 2025 can cancel its own requests.
 */
export function createMcpEndpoint(
  serverFor: ServerFor,
  { onError }: { readonly onError: (error: Error) => void },
): McpEndpoint {
  const running = new RunningRequests();
  const handler = createMcpHandler(({ authInfo }) => serverFor(sessionOf(authInfo)), { onerror: onError });
  return {
    async answer(request, sent, session) {
      const body = withoutNulls(sent);
      if (Array.isArray(body) && body.length > maxMessages)
        return rejection(invalidRequest, `a body may have at most ${maxMessages} messages`);
      const client = request.headers.get(sessionHeader);
      const signal = running.begin(body, client, session);
      const answering: Session = { ...session, signal };
      const response = await handler.fetch(request, { authInfo: asAuthInfo(answering), parsedBody: body });
      if (isInitialize(body) && response.ok) response.headers.set(sessionHeader, randomUUID());
      return response;
    },
    close: () => handler.close(),
  };
}

/** The answer to a body that is not even a message. */
export function rejection(code: number, message: string, status = 400): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}

function isInitialize(body: unknown): boolean {
  return (body as { readonly method?: unknown } | null)?.method === 'initialize';
}

/**
 * The session in the form in which the handler passes it on to the function that makes the server of the request. The credential has
 * been checked before.
 */
function asAuthInfo(session: Session): AuthInfo {
  return { token: '', clientId: session.caller.principal, scopes: [], extra: { session } };
}

function sessionOf(authInfo: AuthInfo | undefined): Session {
  return authInfo?.extra?.['session'] as Session;
}

interface Message {
  readonly method?: unknown;
  readonly id?: unknown;
  readonly params?: { readonly requestId?: unknown } | undefined;
}

/**
 * The running requests of clients that named their session, so that a notification in a later HTTP request can cancel them. A client
 * can cancel only its own requests, because the key contains the caller too.
 */
class RunningRequests {
  readonly #running = new Map<string, AbortController>();

  /**
   * Cancels the requests that `body` cancels, and returns a signal for those that it makes: it is aborted when the client
   * cancels one of them or ends its session.
   */
  begin(body: unknown, client: string | null, session: Session): AbortSignal {
    if (client === null) return session.signal;
    const keys: string[] = [];
    for (const message of Array.isArray(body) ? body : [body]) {
      const { method, id, params } = (message ?? {}) as Message;
      if (method === 'notifications/cancelled')
        this.#running.get(keyOf(params?.requestId, client, session))?.abort();
      else if (method !== undefined && id !== undefined) keys.push(keyOf(id, client, session));
    }
    if (keys.length === 0 || session.signal.aborted) return session.signal;
    const own = new AbortController();
    for (const key of keys) this.#running.set(key, own);
    const forget = () => {
      for (const key of keys) if (this.#running.get(key) === own) this.#running.delete(key);
    };
    session.signal.addEventListener('abort', forget, { once: true });
    return AbortSignal.any([session.signal, own.signal]);
  }
}

function keyOf(id: unknown, client: string, { caller }: Session): string {
  return JSON.stringify([caller.tenant, caller.principal, caller.user, client, id]);
}
