import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SafeFetcher, type FetchLimits } from '../../src/adapters/fetch/safe-fetcher.ts';
import { FetchFailed, type FetchRequest } from '../../src/ports/fetcher.ts';
import { AllowedHosts } from '../../src/support/net/allowed-hosts.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const answers = new Map<string, Answer>();
const seen: { readonly path: string; readonly at: number; readonly headers: IncomingMessage['headers'] }[] =
  [];
const server = createServer((request, response) => {
  seen.push({ path: request.url!, at: performance.now(), headers: request.headers });
  const answer = answers.get(request.url!);
  if (answer) answer(request, response);
  else response.writeHead(404).end();
});
let port = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const at = (path: string, host = '127.0.0.1') => `http://${host}:${port}${path}`;
const never = new AbortController().signal;

function fetcher(limits: Partial<FetchLimits> = {}, allowed = [`127.0.0.1:${port}`]): SafeFetcher {
  return new SafeFetcher(new AllowedHosts(allowed), { pauseMs: 0, ...limits });
}

async function failureOf(
  request: FetchRequest,
  limits: Partial<FetchLimits> = {},
  allowed?: string[],
): Promise<FetchFailed> {
  const failure = await fetcher(limits, allowed)
    .fetch(request, never)
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(FetchFailed);
  return failure as FetchFailed;
}

describe('a safe fetch', () => {
  it('returns bytes and what asks for them again, whatever they are compressed with', async () => {
    const text = 'a page '.repeat(1_000);
    const encodings = {
      gzip: gzipSync(text),
      br: brotliCompressSync(text),
      deflate: deflateSync(text),
      'deflate ': deflateRawSync(text),
      identity: Buffer.from(text),
      'gzip, br': brotliCompressSync(gzipSync(text)),
    };
    for (const [encoding, bytes] of Object.entries(encodings)) {
      answers.set('/page', (_, response) =>
        response
          .writeHead(200, {
            'content-type': 'text/html; charset=utf-8',
            'content-encoding': encoding,
            etag: '"1"',
            'last-modified': 'Fri, 27 Nov 2026 09:00:00 GMT',
          })
          .end(bytes),
      );
      const fetched = await fetcher().fetch({ url: at('/page') }, never);
      expect([encoding, Buffer.from(fetched.bytes).toString()]).toEqual([encoding, text]);
      expect(fetched).toMatchObject({
        status: 200,
        notModified: false,
        mediaType: 'text/html; charset=utf-8',
        etag: '"1"',
        lastModified: 'Fri, 27 Nov 2026 09:00:00 GMT',
        url: at('/page'),
      });
    }
    expect(seen.at(-1)!.headers['user-agent']).toMatch(/^Stratalog\//);
  });

  it('asks whether anything has changed', async () => {
    answers.set('/same', ({ headers }, response) =>
      response.writeHead(headers['if-none-match'] === '"1"' ? 304 : 200, { etag: '"1"' }).end(),
    );
    const lastModified = 'Fri, 27 Nov 2026 09:00:00 GMT';
    const fetched = await fetcher().fetch({ url: at('/same'), etag: '"1"', lastModified }, never);
    expect(fetched).toMatchObject({ status: 304, notModified: true });
    expect(seen.at(-1)!.headers).toMatchObject({ 'if-none-match': '"1"', 'if-modified-since': lastModified });
  });

  it('reaches no address that is not public, however it is written, and says nothing of it', async () => {
    const before = seen.length;
    const urls = [
      at('/', '127.0.0.1'),
      at('/', 'localhost'),
      at('/', '0x7f.1'),
      at('/', '2130706433'),
      at('/', '[::1]'),
      at('/', '[::ffff:127.0.0.1]'),
      at('/', '0.0.0.0'),
      'http://169.254.169.254/latest/meta-data/',
      'file:///etc/passwd',
      'ftp://127.0.0.1/',
      `http://user:secret@127.0.0.1:${port}/`,
    ];
    for (const url of urls) {
      const { reason, message } = await failureOf({ url }, {}, []);
      expect([url, reason]).toEqual([url, 'not-allowed']);
      expect(message).not.toMatch(/127\.|169\.254|::1|secret/);
    }
    expect(seen).toHaveLength(before);
  });

  it('follows redirects, and checks each', async () => {
    answers.set('/target', (_, response) => response.end('here'));
    answers.set('/redirect', (_, response) => response.writeHead(302, { location: '/target' }).end());
    const fetched = await fetcher().fetch({ url: at('/redirect') }, never);
    expect([Buffer.from(fetched.bytes).toString(), fetched.url]).toEqual(['here', at('/target')]);
    for (const location of [
      'http://127.0.0.2/',
      'http://[::1]/',
      'http://169.254.169.254/',
      'file:///etc/passwd',
    ]) {
      answers.set('/inside', (_, response) => response.writeHead(301, { location }).end());
      expect((await failureOf({ url: at('/inside') })).reason).toBe('not-allowed');
    }
    answers.set('/loop', (_, response) => response.writeHead(307, { location: '/loop' }).end());
    const before = seen.length;
    expect((await failureOf({ url: at('/loop') })).reason).toBe('refused');
    expect(seen.length - before).toBe(6);
  });

  it('stops at a limit of size, before a bomb takes memory', async () => {
    const zeros = gzipSync(gzipSync(Buffer.alloc(400_000_000)));
    answers.set('/bomb', (_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end(zeros),
    );
    answers.set('/stream', (_, response) => {
      const send = (): void =>
        void (response.writable && response.write(Buffer.alloc(65_536), () => setImmediate(send)));
      send();
    });
    answers.set('/announced', (_, response) =>
      response.writeHead(200, { 'content-length': '999999999' }).end(),
    );
    const before = process.memoryUsage().rss;
    for (const path of ['/bomb', '/stream', '/announced'])
      expect([path, (await failureOf({ url: at(path) }, { maxBytes: 5_000_000 })).reason]).toEqual([
        path,
        'too-large',
      ]);
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  });

  it('ends when nothing comes, when it takes too long, and when it is told to', async () => {
    answers.set('/silent', () => undefined);
    answers.set('/begun', (_, response) => void response.write('begun'));
    answers.set('/slow', (_, response) => {
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(timer));
    });
    expect((await failureOf({ url: at('/silent') }, { stallMs: 100 })).message).toBe(
      'the server sends nothing',
    );
    expect((await failureOf({ url: at('/begun') }, { stallMs: 100 })).message).toBe(
      'the server sends nothing',
    );
    expect((await failureOf({ url: at('/slow') }, { stallMs: 100, totalMs: 300 })).message).toBe(
      'the server takes too long',
    );
    const stop = AbortSignal.timeout(100);
    const ended = await fetcher()
      .fetch({ url: at('/silent') }, stop)
      .catch((error: unknown) => error);
    expect(ended).toBe(stop.reason);
  });

  it('says what is wrong with a server without its address', async () => {
    answers.set('/cut', (request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
      setTimeout(() => request.socket.destroy(), 20);
    });
    answers.set('/damaged', (_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip'),
    );
    expect((await failureOf({ url: at('/cut') })).reason).toBe('unreachable');
    expect((await failureOf({ url: at('/damaged') })).reason).toBe('not-readable');
    expect(await failureOf({ url: at('/none') })).toMatchObject({ reason: 'refused', status: 404 });
    const closed = await failureOf({ url: 'http://127.0.0.1:9/' }, {}, ['127.0.0.1']);
    expect([closed.reason, closed.message]).toEqual(['unreachable', 'the connection to the server failed']);
  });

  it('sends one request at a time to a host, with pauses, and leaves a busy one alone', async () => {
    let open = 0;
    answers.set('/turn', (_, response) => {
      expect(++open).toBe(1);
      setTimeout(() => {
        open--;
        response.end();
      }, 20);
    });
    const polite = fetcher({ pauseMs: 100 });
    const before = seen.length;
    await Promise.all([1, 2, 3].map(() => polite.fetch({ url: at('/turn') }, never)));
    const times = seen.slice(before).map((each) => each.at);
    expect(times[1]! - times[0]!).toBeGreaterThan(95);
    expect(times[2]! - times[1]!).toBeGreaterThan(95);
    answers.set('/busy', (_, response) => response.writeHead(429, { 'retry-after': '3600' }).end());
    const busy = await polite
      .fetch({ url: at('/busy') }, never)
      .catch((error: unknown) => error as FetchFailed);
    expect(busy).toMatchObject({ reason: 'refused', status: 429 });
    const count = seen.length;
    const next = await polite
      .fetch({ url: at('/turn') }, never)
      .catch((error: unknown) => error as FetchFailed);
    expect((next as FetchFailed).notBefore!.getTime()).toBeGreaterThan(Date.now() + 3_500_000);
    expect(seen).toHaveLength(count);
  });
});
