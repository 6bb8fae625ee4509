import { setMaxListeners } from 'node:events';
import { chmod, mkdtemp, rename, rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Logger } from 'pino';
import { ServerStopping } from '../support/request-scope.ts';
import { BrokenRequests } from './broken-requests.ts';
import { closeUnread } from './stalls.ts';
import { createKoa, type HttpApplication } from './koa-app.ts';
import { backupPrefix, serveBackup } from './serve-backup.ts';
import type { CopySource } from '../ports/log-copy.ts';

export type { Api, HttpApplication } from './koa-app.ts';

export interface HttpServer {
  readonly url: string;
  /** Accepts no new requests; resolves when those under way are answered, after `graceMs` at the latest. */
  close(graceMs?: number): Promise<void>;
}

export interface HttpServerOptions extends HttpApplication {
  /** Absent if only the socket is listened on. */
  readonly address?: { readonly host: string; readonly port: number };
  /** A socket to listen on too, for programs of the same user: a path for that, and the path to remove at the end. */
  readonly socket?: { readonly file: string; readonly path: string } | undefined;
  /** What is copied over that socket. */
  readonly copySource?: (() => Promise<CopySource>) | undefined;
}

/**
 * Serves health, metrics and the API. Rejects with the system's error (`EADDRINUSE`, …) if it cannot listen. Without an
 * address, the URL is that of the socket.
 */
export async function startHttpServer(options: HttpServerOptions, logger: Logger): Promise<HttpServer> {
  const { address, socket, copySource } = options;
  const closing = new AbortController();
  // Each request under way listens to it. Node would warn of a leak from eleven on.
  setMaxListeners(0, closing.signal);
  const answer: Answer = createKoa(options, closing.signal, logger).callback();
  const servers: http.Server[] = [];
  const newServer = (take: Answer = answer) => {
    const server = serverFor(take, closing.signal);
    servers.push(server);
    return server;
  };
  let url = `unix:${socket?.file}`;
  try {
    if (address) url = await listenOn(newServer(), address);
    if (socket) {
      const withBackup: Answer = (request, response) =>
        copySource && request.url?.startsWith(backupPrefix)
          ? serveBackup(request, response, copySource)
          : answer(request, response);
      await listenInFile(newServer(withBackup), socket.file);
    }
  } catch (error) {
    for (const server of servers) server.close();
    throw error;
  }
  return {
    url,
    close: async (graceMs = 10_000) => {
      closing.abort(new ServerStopping('the server is stopping'));
      await Promise.all(servers.map((server) => closeGracefully(server, graceMs)));
      if (socket) await rm(socket.path, { force: true });
    },
  };
}

type Answer = (request: http.IncomingMessage, response: http.ServerResponse) => unknown;

function serverFor(answer: Answer, closing: AbortSignal): http.Server {
  const broken = new BrokenRequests();
  // Node would answer a request without Host itself, without a problem document.
  const server = http.createServer({ requireHostHeader: false });
  const take = (request: http.IncomingMessage, response: http.ServerResponse) => {
    broken.begin(request, response);
    // Otherwise a client that sends one request after another would keep its connection open until it is cut.
    if (closing.aborted) response.setHeader('Connection', 'close');
    void answer(request, response);
  };
  server.on('request', take);
  // The same holds for an unknown Expect.
  server.on('checkExpectation', take);
  server.on('clientError', (error, socket) => broken.refuse(error, socket));
  server.on('connect', (_, socket) => broken.refuseConnect(socket));
  // A bulk body may take long to arrive; headers may not.
  server.requestTimeout = 0;
  server.headersTimeout = 30_000;
  // Longer than load balancers and clients keep idle connections: if the server closed one first, a request could be lost.
  server.keepAliveTimeout = 75_000;
  closeUnread(server);
  return server;
}

async function listenOn(
  server: http.Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { address, port: actual, family } = server.address() as AddressInfo;
  const shown = family === 'IPv6' ? `[${address}]` : address;
  return `http://${shown}:${actual}`;
}

/**
 * Listens on a socket file, and replaces one that a killed process may have left: only the process that has the data folder open
 * listens there. The socket gets its mode in a folder of its own, so at no time can another user connect.
 */
async function listenInFile(server: http.Server, file: string): Promise<void> {
  const own = await mkdtemp(path.join(path.dirname(file), '.api-'));
  const socket = path.join(own, 's');
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(socket, resolve);
    });
    await chmod(socket, 0o600);
    await rename(socket, file);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

async function closeGracefully(server: http.Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}
