import http, { type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi, type Mock } from 'vitest';
import { post, RequestRefused, TargetGone, type Message } from '../../src/cli/mcp/json-rpc.ts';

let answer: (response: ServerResponse, sent: Message, headers: http.IncomingHttpHeaders) => void;
let server: http.Server;
let url: string;
let lost: Mock<() => void>;

beforeEach(async () => {
  lost = vi.fn();
  server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () =>
      answer(response, JSON.parse(Buffer.concat(chunks).toString()) as Message, request.headers),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const send = (
  notified: (message: Message) => void = () => undefined,
  signal = new AbortController().signal,
  silenceMs = 10_000,
) =>
  post(
    { url },
    {
      method: 'tools/call',
      params: { name: 'x' },
      headers: { authorization: 'Bearer k' },
      signal,
      notified,
      lost,
      silenceMs,
    },
  );

const events = { 'content-type': 'text/event-stream' };
const result = { jsonrpc: '2.0', id: 1, result: { text: 'Lärm 🚢' } };

describe('an MCP request that is passed on', () => {
  it('[J3] carries the credential, and takes an answer in JSON', async () => {
    answer = (response, sent, headers) => {
      expect(sent).toMatchObject({ method: 'tools/call', params: { name: 'x' } });
      expect(headers).toMatchObject({
        authorization: 'Bearer k',
        accept: expect.stringContaining('text/event-stream'),
      });
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
    };
    expect(await send()).toEqual(result);
  });

  it('[J3] takes the notifications before the answer, however the stream is cut', async () => {
    const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } };
    const bytes = Buffer.from(
      `: keep-alive\n\nevent: message\ndata: ${JSON.stringify(progress)}\n\ndata: ${JSON.stringify(result)}\r\n\r\n`,
    );
    answer = (response) => {
      response.writeHead(200, events);
      void (async () => {
        for (let start = 0; start < bytes.length; start += 7) {
          response.write(bytes.subarray(start, start + 7));
          await new Promise(setImmediate);
        }
        response.end();
      })();
    };
    const notified: Message[] = [];
    expect(await send((message) => notified.push(message))).toEqual(result);
    expect(notified).toEqual([progress]);
  });

  it('[J3] is known to be lost if nobody answers, or the answer ends too early', async () => {
    answer = (response) => response.writeHead(200, events).end('data: {"jsonrpc"');
    await expect(send()).rejects.toThrow(TargetGone);
    answer = (response) => response.writeHead(200, events).write('data: ', () => response.destroy());
    await expect(send()).rejects.toThrow(TargetGone);
    server.closeAllConnections();
    server.close();
    expect(lost).toHaveBeenCalledTimes(2);
    await expect(send()).rejects.toThrow(TargetGone);
    expect(lost).toHaveBeenCalledTimes(3);
  });

  it('[J3] is refused with the reason that the server gives', async () => {
    answer = (response) => response.writeHead(401).end('{"detail":"this API key is unknown"}');
    await expect(send()).rejects.toMatchObject({ status: 401, message: 'this API key is unknown' });
    answer = (response) => response.writeHead(404).end('<html>');
    await expect(send()).rejects.toThrow(RequestRefused);
  });

  it('[J3] is known to be lost if the server stops in the middle of the answer, or never begins it', async () => {
    answer = (response) => response.writeHead(200, events).write(': keep-alive\n\n');
    await expect(send(undefined, undefined, 100)).rejects.toThrow(TargetGone);
    answer = () => undefined;
    await expect(send(undefined, undefined, 100)).rejects.toThrow(TargetGone);
  });

  it('[J3] does not repeat a long answer of a server that is not Stratalog', async () => {
    answer = (response) =>
      response.writeHead(502).end(JSON.stringify({ error: { message: 'x'.repeat(10_000) } }));
    const refused = await send().catch((error: Error) => error.message);
    expect(refused).toHaveLength(500);
  });

  it('[J3] ends when the client cancels it', async () => {
    const cancelled = new AbortController();
    answer = () => cancelled.abort();
    await expect(send(undefined, cancelled.signal)).rejects.toThrow(/abort/i);
  });
});
