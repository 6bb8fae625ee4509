import { createMcpHandler, type AuthInfo, type Server } from '@modelcontextprotocol/server';
import type { Services } from '../api/services.ts';
import { createServer } from './server.ts';
import { Performer, type Session } from './session.ts';

/** Answers MCP requests over streamable HTTP, of the protocol with and without sessions. */
export interface McpEndpoint {
  answer(request: Request, session: Session): Promise<Response>;
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

/** Each request gets a server of its own, so any process can answer any request. */
export function createMcpEndpoint(
  serverFor: ServerFor,
  options: { readonly maxBodyBytes: number; readonly onError: (error: Error) => void },
): McpEndpoint {
  const handler = createMcpHandler(({ authInfo }) => serverFor(sessionOf(authInfo)), {
    maxRequestBodySize: options.maxBodyBytes,
    onerror: options.onError,
  });
  return {
    answer: (request, session) => handler.fetch(request, { authInfo: asAuthInfo(session) }),
    close: () => handler.close(),
  };
}

/** The handler passes this on to where the server of the request is made. The credential has been checked before. */
function asAuthInfo(session: Session): AuthInfo {
  return { token: '', clientId: session.caller.principal, scopes: [], extra: { session } };
}

function sessionOf(authInfo: AuthInfo | undefined): Session {
  return authInfo?.extra?.['session'] as Session;
}
