import { request } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { clientOf, clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { expectProblem } from '../support/problem.ts';
import { replyIn, sendRaw } from '../support/raw-http.ts';
import { testProfile } from '../support/server.ts';
import { newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let client: Client;

beforeAll(async () => {
  client = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
});

describe('paths and methods', () => {
  it.each([
    '/',
    '/v1',
    '/v1/nothing',
    '/v2/memories',
    '/v1/memories/a/b/c',
    '/docs/../etc/passwd',
    '/favicon.ico',
  ])('[J2] %s answers a 404 problem with and without a credential', async (path) => {
    expectProblem(await client.get(path), 404, 'not-found');
    expectProblem(await clientOf(server).get(path), 404, 'not-found');
    expectProblem(await client.post(path), 404, 'not-found');
  });

  it.each([
    ['DELETE', '/v1/search', ['POST']],
    ['GET', '/v1/search', ['POST']],
    ['PUT', '/v1/memories', ['GET', 'POST']],
    ['POST', '/v1/memories/x', ['GET', 'PATCH', 'DELETE']],
    ['GET', '/v1/memories/x/links/related/y', ['PUT', 'DELETE']],
    ['PATCH', '/v1/admin/keys', ['GET', 'POST']],
    ['GET', '/v1/memories/bulk', ['POST']],
    ['DELETE', '/v1/memories/validate', ['POST']],
    ['POST', '/livez', ['GET']],
    ['DELETE', '/openapi.json', ['GET']],
    ['DELETE', '/asyncapi.json', ['GET']],
  ])('[J2] %s %s answers a 405 problem that lists the methods in Allow', async (method, path, allowed) => {
    const reply = await client.send(method, path);
    expectProblem(reply, 405, 'method-not-allowed');
    const methods = (reply.headers.get('allow') ?? '').split(/, */);
    expect(methods).toEqual(expect.arrayContaining(allowed));
    expect(methods).not.toContain(method);
  });

  it.each(['/v1/memories/bulk', '/v1/memories/validate'])(
    '[J2] %s allows POST only, whichever method is tried',
    async (path) => {
      for (const method of ['OPTIONS', 'PUT', 'GET'])
        expect((await client.send(method, path)).headers.get('allow')).toBe('POST');
    },
  );

  it.each(['/v1/Memories', '/V1/memories', '/v1/memories/', '/livez/'])(
    '[J2] %s differs from the documented path and answers 404',
    async (path) => {
      expectProblem(await client.get(path), 404, 'not-found');
      expectProblem(await client.post(path, { content: 'not stored' }), 404, 'not-found');
    },
  );

  it('[J2] OPTIONS lists the methods, and HEAD answers like GET without a body', async () => {
    const options = await client.send('OPTIONS', '/v1/memories');
    expect(options.status).toBeLessThan(300);
    expect(options.headers.get('allow')).toContain('POST');
    const head = await client.send('HEAD', '/v1/memories');
    expect(head).toMatchObject({ status: 200, body: undefined });
  });

  it('[J2] a malformed path is not a server error', async () => {
    for (const path of ['/v1/memories/%zz', '/v1/memories/%E0%A4%A', '/%']) {
      const status = await new Promise<number>((resolve, reject) => {
        const { hostname, port } = new URL(server.url);
        const headers = { authorization: `Bearer ${client.key}` };
        request({ hostname, port, path, headers }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        })
          .on('error', reject)
          .end();
      });
      expect([400, 404]).toContain(status);
    }
  });

  it.each([
    ['/v1/memories?limit=1&limit=2', 'limit'],
    ['/v1/memories?colour=red', 'colour'],
    ['/v1/memories?externalId=a&externalId=b', 'externalId'],
    ['/v1/memories?minPosition=a&minPosition=b', 'minPosition'],
    ['/v1/memories?__proto__=x', '__proto__'],
    ['/v1/stats?limit=3', 'limit'],
    ['/v1/admin/keys?role=admin', 'role'],
    ['/v1/memories?externalId=%FF', 'externalId'],
    ['/v1/memories?tags=x&externalId=a%20%ED%A0%80', 'externalId'],
  ])('[J2] %s answers a 400 that names the parameter', async (path, parameter) => {
    const reply = await client.get(path);
    expectProblem(reply, 400, 'validation-failed');
    expect(reply.body.errors.map((error: Json) => error.path)).toContain(parameter);
  });
});

describe('malformed HTTP', () => {
  const close = 'Host: x\r\nConnection: close\r\n';
  const headers = (bytes: number) => `${close}X-Long: ${'x'.repeat(bytes)}\r\n\r\n`;
  const chunked = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';

  it.each([
    ['a target that is not a URL', 400, 'malformed-request', `GET http://[bad/v1 HTTP/1.1\r\n${close}\r\n`],
    ['a malformed header', 400, 'malformed-request', 'GET /livez HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n'],
    ['another protocol', 400, 'malformed-request', '\x16\x03\x01\x02\x00\x01'],
    ['no Host', 400, 'validation-failed', 'GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['an unknown method', 405, 'method-not-allowed', `BREW /v1/memories HTTP/1.1\r\n${close}\r\n`],
    ['headers that are too long', 431, 'headers-too-large', `GET /livez HTTP/1.1\r\n${headers(20_000)}`],
    ['headers without an end', 431, 'headers-too-large', `GET /livez HTTP/1.1\r\n${headers(4_000_000)}`],
    [
      'CONNECT',
      405,
      'method-not-allowed',
      `CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n`,
    ],
    [
      'a URL that is too long',
      431,
      'headers-too-large',
      `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${close}\r\n`,
    ],
  ])('[J2] %s answers a problem and closes the connection', async (_, status, code, request) => {
    const reply = replyIn(await sendRaw(server.url, request));
    expectProblem(reply, status, code);
    expect(reply.headers.get('connection')).toBe('close');
    if (status === 405) expect(reply.headers.get('allow')).toContain('PATCH');
    expect((await client.get('/livez')).status).toBe(200);
  });

  it('[J2] an invalid chunk size answers a problem and closes the connection', async () => {
    const head = `POST /v1/memories HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${client.key}\r\n${chunked}\r\n`;
    expectProblem(replyIn(await sendRaw(server.url, `${head}ZZ\r\n`)), 400, 'malformed-request');
  });

  it.each([
    ['too large', 413, 'body-too-large', () => client.key],
    ['from an unknown caller', 401, 'unauthenticated', () => 'sl_nobody'],
  ])(
    '[J2] a body that is %s answers a problem, even to clients that read only after sending everything',
    async (_, status, code, key) => {
      const head = `POST /v1/memories HTTP/1.1\r\n${close}Authorization: Bearer ${key()}\r\n`;
      const rest = `Content-Type: application/json\r\nContent-Length: 20000000\r\n\r\n${'x'.repeat(20_000_000)}`;
      expectProblem(replyIn(await sendRaw(server.url, head + rest, { sendFirst: true })), status, code);
    },
  );

  it('[A12] a bulk body is processed completely, even from clients that read only after sending everything', async () => {
    // Far more than the connection buffers hold in either direction. Every line is rejected.
    const lines = 40_000;
    const body = `{"nothing":"${'x'.repeat(500)}"}\n`.repeat(lines);
    const head = [
      'POST /v1/memories/bulk HTTP/1.1',
      `${close}Authorization: Bearer ${client.key}`,
      'Content-Type: application/x-ndjson',
      `Content-Length: ${body.length}\r\n\r\n`,
    ].join('\r\n');
    const received = await sendRaw(server.url, head + body, { sendFirst: true, waitMs: 60_000 });
    expect(received.match(/"line":\d+,"status":400/g)).toHaveLength(lines);
  });

  it('[J2] only the first hundred of a thousand unknown fields are reported', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`unknown${n}`, n]));
    const reply = await client.post('/v1/memories', { content: 'x', ...unknown });
    expectProblem(reply, 400, 'validation-failed');
    expect(reply.body.errors).toHaveLength(100);
  });

  it('[J2] an unescaped query string answers a problem and is not misread', async () => {
    const request = `GET /v1/memories?tag=café HTTP/1.1\r\n${close}Authorization: Bearer ${client.key}\r\n\r\n`;
    expectProblem(replyIn(await sendRaw(server.url, request)), 400, 'malformed-request');
  });

  it('[J2] a body that never ends is cut off after a second', async () => {
    const head = `POST /v1/memories HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n`;
    expectProblem(replyIn(await sendRaw(server.url, head, { waitMs: 5_000 })), 401, 'unauthenticated');
  });

  it('[J2] a CONNECT sent after a complete request does not suppress the answer to that request', async () => {
    const received = await sendRaw(
      server.url,
      'GET /livez HTTP/1.1\r\nHost: x\r\n\r\nCONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n',
    );
    expect(received).toMatch(/^HTTP\/1\.1 200 /);
    const [, ...second] = received.split(/(?=HTTP\/1\.1 )/);
    expectProblem(replyIn(second.join('')), 405, 'method-not-allowed');
  });

  it.each(['200-ok', '100-continued', ''])(
    '[J2] an Expect other than 100-continue answers a 417 problem: "%s"',
    async (expectation) => {
      const head = `POST /v1/memories HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${client.key}\r\n`;
      const request = `${head}Content-Type: application/json\r\nContent-Length: 20\r\nExpect: ${expectation}\r\n\r\n`;
      const reply = replyIn(await sendRaw(server.url, request));
      expectProblem(reply, 417, 'expectation-failed');
      expect(reply.headers.get('connection')).toBe('close');
    },
  );

  it('[J2] Expect: 100-continue is honored', async () => {
    const body = JSON.stringify({ content: 'expected' });
    const head = `POST /v1/memories HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${client.key}\r\nConnection: close\r\n`;
    const rest = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n${body}`;
    const received = await sendRaw(server.url, head + rest);
    expect(received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
  });

  it('[J2] bytes after a complete request do not suppress its answer', async () => {
    const content = 'stored before the noise';
    const body = JSON.stringify({ content });
    const head = [
      'POST /v1/memories HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${client.key}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ].join('\r\n');
    const reply = replyIn(await sendRaw(server.url, `${head}\r\n\r\n${body}\x01\x02\r\n\r\n`));
    expect(reply).toMatchObject({ status: 201, body: { memory: { content } } });
  });
});

describe('media types', () => {
  const body = JSON.stringify({ content: 'a note' });
  const post = (headers: Record<string, string>) =>
    client.send('POST', '/v1/memories', { raw: body, headers });

  it.each([
    ['another type', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a malformed type', { 'content-type': 'application' }],
    ['another character set', { 'content-type': 'application/json; charset=iso-8859-1' }],
    ['a compressed body', { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
    ['the media type of a patch', { 'content-type': 'application/merge-patch+json' }],
  ])('[J2] %s answers a 415 problem that says what to send', async (_, headers) => {
    const reply = await post(headers);
    expectProblem(reply, 415, 'unsupported-media-type');
  });

  it('[J2] JSON with a charset parameter is accepted in any case', async () => {
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'Application/JSON;charset=UTF-8',
    ]) {
      // The first one stores it, the others tell it again.
      expect([200, 201]).toContain((await post({ 'content-type': type })).status);
    }
  });

  it('[J2] answers are JSON in UTF-8', async () => {
    const content = 'Grüße aus Zürich 🏔';
    const { memory } = await client.store({ content });
    const reply = await client.get(`/v1/memories/${memory.id}`);
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(reply.body.content).toBe(content);
  });
});

describe('request ids', () => {
  it('[J2] are present on every answer, each with a new value', async () => {
    const ids = new Set<string>();
    for (const path of ['/livez', '/readyz', '/v1/memories', '/v1/nothing', '/openapi.json']) {
      const id = (await client.get(path)).headers.get('x-request-id');
      expect(id).toMatch(/^\S{16,}$/);
      ids.add(id!);
    }
    expect(ids.size).toBe(5);
  });

  it('[J2] repeat the caller’s id when it is safe', async () => {
    const reply = await client.get('/v1/memories/none', { 'x-request-id': 'my-request.1' });
    expect(reply.headers.get('x-request-id')).toBe('my-request.1');
    expect(reply.body.requestId).toBe('my-request.1');
  });

  it.each([['with space'], ['{"json":1}'], ['x'.repeat(129)]])(
    '[J2] are replaced when the caller’s id is not safe: %s',
    async (id) => {
      const reply = await client.get('/v1/memories/none', { 'x-request-id': id });
      expect(reply.headers.get('x-request-id')).not.toBe(id);
      expect(reply.body.requestId).toBe(reply.headers.get('x-request-id'));
    },
  );
});

describe('health', () => {
  it('[J7] /livez answers without a credential', async () => {
    expect(await clientOf(server).get('/livez')).toMatchObject({ status: 200, body: { status: 'alive' } });
  });

  it('[J7] /readyz reports the profile, the identity, the head of the log and the lag of each read model', async () => {
    const { position } = await client.store({ content: 'one more' });
    await client.get(`/v1/memories?minPosition=${position}&waitMs=30000`);
    const { status, body } = await client.get('/readyz');
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'ready', profile: testProfile, identity: 'credentials' });
    expect(body.log.head).toBeGreaterThan(0);
    expect(body.projections.map(({ name }: Json) => name)).toEqual(
      expect.arrayContaining(['memories', 'lexical', 'vectors', 'usage', 'audit']),
    );
    for (const projection of body.projections) {
      expect(projection).toMatchObject({ parked: 0, lock: 'here' });
      expect(projection.lag).toBeGreaterThanOrEqual(0);
      expect(projection.position).toBeLessThanOrEqual(body.log.head);
    }
  });
});

describe('[I2] without a role for figures', () => {
  it('/readyz tells states, and no position, count or reason', async () => {
    const { status, body } = await clientOf(server).get('/readyz');
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'ready', log: { state: 'up' }, embedder: { state: 'up' } });
    expect(body.log).toEqual({ state: 'up' });
    for (const one of [...body.projections, ...body.reactors])
      expect(one).toEqual({ name: one.name, state: 'following' });
    expect(body.projections.length).toBeGreaterThan(4);
  });

  it('/readyz tells a member the head as a token only, and refuses a wrong key', async () => {
    const tenant = await newTenant(server);
    const { log } = (await (await tenant.key({ user: 'bob' })).get('/readyz')).body;
    expect(log).toEqual({ state: 'up', position: expect.any(String) });
    expect((await clientOf(server, 'sl_wrong.key').get('/readyz')).status).toBe(401);
  });
});

describe('/docs', () => {
  it('[J2] loads everything from this server', async () => {
    const page = await fetch(`${server.url}/docs`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    const html = await page.text();
    const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
    expect(loaded.length).toBeGreaterThanOrEqual(3);
    for (const target of loaded) {
      expect(target).toMatch(/^\/docs\//);
      const asset = await fetch(server.url + target);
      expect([target, asset.status]).toEqual([target, 200]);
      expect(asset.headers.get('content-type')).toMatch(
        target.endsWith('.css') ? /^text\/css/ : /javascript/,
      );
      expect((await asset.text()).length).toBeGreaterThan(20);
    }
    expect(html).not.toMatch(/https?:\/\//);
    // The viewer would send the document to a validator on the internet: the policy keeps the browser from doing so.
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toMatch(/https?:|\*/);
  });
});
