import net from 'node:net';
import type { Reply } from './api.ts';

/**
 * Sends exactly these bytes on one connection and returns everything received until the server closes it. `end` closes our
 * half after sending. With `sendFirst`, nothing is read before everything is sent.
 */
export async function sendRaw(
  url: string,
  request: string,
  { end = false, sendFirst = false, waitMs = 10_000 } = {},
): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = net.connect(Number(port), hostname);
  const received: Buffer[] = [];
  return new Promise((resolve, reject) => {
    socket.setTimeout(waitMs, () =>
      socket.destroy(new Error(`the server keeps the connection: ${answered()}`)),
    );
    const read = () => socket.on('data', (bytes) => received.push(bytes));
    if (!sendFirst) read();
    // A server that closes the connection after its answer may reset it.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.on('close', () => resolve(answered()));
    if (sendFirst) {
      // Like real clients: the head first, then as much of the body as the connection accepts.
      const body = request.indexOf('\r\n\r\n') + 4;
      socket.write(request.slice(0, body));
      socket.write(request.slice(body), read);
    } else if (end) socket.end(request);
    else socket.write(request);
  });

  function answered(): string {
    return Buffer.concat(received).toString();
  }
}

/** Parses the single response that `sendRaw` received. Its body must not be chunked. */
export function replyIn(received: string): Reply {
  const [head = '', body = ''] = received.split('\r\n\r\n');
  const [statusLine = '', ...fields] = head.split('\r\n');
  const headers = new Headers(
    fields.map((field): [string, string] => {
      const [name = '', ...value] = field.split(':');
      return [name, value.join(':').trim()];
    }),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, body: JSON.parse(body) };
}
