import net from 'node:net';
import type { Reply } from './api.ts';

/**
 * What the server answers on one connection to these very bytes, until it closes it; `end` closes our half first, and
 * with `sendFirst` nothing is read before all is sent.
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
    // A server that cuts what it has answered may reset.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.on('close', () => resolve(answered()));
    if (sendFirst) {
      // As clients do: the head by itself, and then as much of the body as the connection takes.
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

/** The one answer in what `sendRaw` received, with a body that is not chunked. */
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
