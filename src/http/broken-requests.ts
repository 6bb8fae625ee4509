import { randomUUID } from 'node:crypto';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { problemDocument } from '../api/problem.ts';
import { Problem } from '../domain/problems.ts';
import { lingerMs } from './lingering.ts';

interface ParserError extends NodeJS.ErrnoException {
  /** The data that could not be parsed. */
  readonly rawPacket?: Buffer;
}

/** Answers connections whose data is not HTTP, or whose headers are too large, with a problem document. */
export class BrokenRequests {
  readonly #answering = new WeakMap<Duplex, ServerResponse>();
  readonly #refused = new WeakSet<Duplex>();

  /** Call for every request, so that its answer is not damaged by invalid data that follows it. */
  begin({ socket }: IncomingMessage, response: ServerResponse): void {
    this.#answering.set(socket, response);
    response.once('close', () => {
      if (this.#answering.get(socket) === response) this.#answering.delete(socket);
    });
  }

  /** Handles the server's event `clientError`. */
  refuse(error: ParserError, socket: Duplex): void {
    if (this.#refused.has(socket)) return;
    const response = this.#answering.get(socket);
    if (!socket.writable || error.code === 'ECONNRESET' || response?.headersSent) {
      socket.destroy();
    } else if (response?.req.complete) {
      response.setHeader('Connection', 'close');
    } else {
      this.#end(socket, problemOf(error));
    }
  }

  /** Handles the server's event `connect`, which hands the connection over. */
  refuseConnect(socket: Duplex): void {
    const problem = methodNotAllowed();
    const before = this.#answering.get(socket);
    // Answers are sent in the order of the requests.
    if (before) before.once('close', () => this.#end(socket, problem));
    else this.#end(socket, problem);
  }

  #end(socket: Duplex, problem: Problem): void {
    this.#refused.add(socket);
    socket.on('error', () => socket.destroy());
    socket.end(asText(problem));
    setTimeout(() => socket.destroy(), lingerMs).unref();
  }
}

function problemOf({ code, rawPacket }: ParserError): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new Problem(
      'headers-too-large',
      `the URL and the headers have more than ${http.maxHeaderSize} bytes`,
    );
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Problem('request-timeout', 'the headers did not arrive in time');
  }
  const beginsRequest = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ \S+ HTTP\/1\.[01]\r?\n/;
  if (code === 'HPE_INVALID_METHOD' && beginsRequest.test(rawPacket?.toString('latin1') ?? '')) {
    return methodNotAllowed();
  }
  return new Problem('malformed-request', 'this is not a valid HTTP request');
}

function methodNotAllowed(): Problem {
  return new Problem('method-not-allowed', `only ${methods} are supported`);
}

const methods = 'HEAD, GET, POST, PATCH, PUT, DELETE, OPTIONS';

function asText(problem: Problem): string {
  const requestId = randomUUID();
  const body = JSON.stringify(problemDocument(problem, requestId));
  return [
    `HTTP/1.1 ${problem.status} ${http.STATUS_CODES[problem.status]}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    ...(problem.status === 405 ? [`Allow: ${methods}`] : []),
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
