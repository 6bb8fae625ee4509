import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { closeUnread, unlessStalled, untilStalled } from '../../src/http/stalls.ts';
import { pause } from '../../src/support/pause.ts';

const closing: (() => void)[] = [];
const limits = { pauseMs: 200, checkMs: 20 };

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A connection to a server that has sent `head`. */
async function connection(server: Server, head: string): Promise<Socket> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  closing.push(() => {
    socket.destroy();
    server.close();
    server.closeAllConnections();
  });
  socket.write(head);
  return socket;
}

const headOf = (length: number) => `POST / HTTP/1.1\r\nhost: test\r\ncontent-length: ${length}\r\n\r\n`;

async function bytesOf(request: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const chunk of request) bytes += (chunk as Buffer).length;
  return bytes;
}

/** What becomes of a request whose client sends the body with `send`. */
async function outcomeOf(length: number, send: (socket: Socket) => void): Promise<unknown> {
  const server = createServer();
  const outcome = once(server, 'request').then(([request]: IncomingMessage[]) =>
    unlessStalled(request!, bytesOf(request!), limits).catch((error: unknown) => error),
  );
  send(await connection(server, headOf(length)));
  return outcome;
}

describe('a body of one value', () => {
  it('[I4] is read when it arrives', async () => {
    expect(await outcomeOf(5, (socket) => socket.write('hello'))).toBe(5);
  });

  it('[I4] is given up when its client pauses', async () => {
    const outcome = await outcomeOf(5, (socket) => socket.write('hel'));
    expect(outcome).toMatchObject({ code: 'request-timeout' });
  });

  it('[I4] is given up when it arrives byte by byte', async () => {
    const outcome = await outcomeOf(10_000, (socket) => {
      const timer = setInterval(() => socket.write('x'), 20);
      closing.push(() => clearInterval(timer));
    });
    expect(outcome).toMatchObject({ code: 'request-timeout' });
  });
});

describe('a stream of lines', () => {
  async function* pieces(pauseMs: number) {
    yield Buffer.from('one');
    await pause(pauseMs);
    yield Buffer.from('two');
  }

  it('[I4] may pause for less than its limit', async () => {
    const read: string[] = [];
    for await (const piece of untilStalled(pieces(20), 10_000)) read.push(Buffer.from(piece).toString());
    expect(read).toEqual(['one', 'two']);
  });

  it('[I4] is given up after a longer pause, with what came before it', async () => {
    const read: string[] = [];
    const reading = async () => {
      for await (const piece of untilStalled(pieces(10_000), 50)) read.push(Buffer.from(piece).toString());
    };
    await expect(reading()).rejects.toMatchObject({ code: 'request-timeout' });
    expect(read).toEqual(['one']);
  });
});

describe('an answer', () => {
  const bytes = 64 * 1024 * 1024;
  const serving = () => createServer((_, response) => response.end(Buffer.alloc(bytes)));

  it('[I4] is given up when its client does not read it', async () => {
    const server = serving();
    closeUnread(server, 200, 20);
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const socket = await connection(server, headOf(0));
    socket.pause();
    const [at] = await accepted;
    if (!at.destroyed) await once(at, 'close');
    expect(at.bytesWritten).toBeLessThan(bytes + 1_000);
    expect(at.destroyed).toBe(true);
  });

  it('[I4] is sent completely to a client that reads it', async () => {
    const server = serving();
    closeUnread(server, 5_000, 20);
    const socket = await connection(server, headOf(0));
    let read = 0;
    for await (const chunk of socket) {
      read += (chunk as Buffer).length;
      if (read >= bytes) break;
    }
    expect(read).toBeGreaterThanOrEqual(bytes);
  });
});
