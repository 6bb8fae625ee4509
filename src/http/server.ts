import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { BrokenRequests } from './broken-requests.ts';
import { createKoa, type HttpApplication } from './koa-app.ts';

export type { Api } from './koa-app.ts';

export interface HttpServer {
  readonly url: string;
  /** Accepts no new requests; resolves when those under way are answered, after `graceMs` at the latest. */
  close(graceMs?: number): Promise<void>;
}

export interface HttpServerOptions extends HttpApplication {
  readonly host: string;
  readonly port: number;
}

/** Serves health, metrics and the API. Rejects with the system's error (`EADDRINUSE`, …) if it cannot listen. */
export async function startHttpServer(options: HttpServerOptions, logger: Logger): Promise<HttpServer> {
  const { host, port } = options;
  const closing = new AbortController();
  const answer = createKoa(options, closing.signal, logger).callback();
  const broken = new BrokenRequests();
  // Node would answer a request without Host itself, without a problem document.
  const server = http.createServer({ requireHostHeader: false });
  const take = (request: http.IncomingMessage, response: http.ServerResponse) => {
    broken.begin(request, response);
    // Otherwise a client that sends one request after another would keep its connection open until it is cut.
    if (closing.signal.aborted) response.setHeader('Connection', 'close');
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
