import type { ServerAddress, TestServer } from './server.ts';

/** Untyped JSON: each test checks the fields that it needs. */
export type Json = ReturnType<typeof JSON.parse>;

/** An HTTP response with its parsed body. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

export interface SendOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** A body that is sent unchanged, with its own content type. */
  readonly raw?: string | Uint8Array;
}

/** A client of the API with one key. */
export interface Client {
  readonly key: string | undefined;
  send(method: string, path: string, options?: SendOptions): Promise<Reply>;
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  patch(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>;
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  delete(path: string, headers?: Record<string, string>): Promise<Reply>;
  /** Stores a memory, even if another one says the same, expects 201, and returns the memory with its position. */
  store(memory: Record<string, unknown>): Promise<{ memory: Json; position: string }>;
  /** Sends NDJSON to the bulk operation and returns the lines of the answer. */
  bulk(lines: readonly unknown[], headers?: Record<string, string>): Promise<Json[]>;
}

/** `always` are headers of every request. */
export function clientOf(
  server: Pick<TestServer, 'url'>,
  key?: string,
  always: Readonly<Record<string, string>> = {},
): Client {
  const send = async (
    method: string,
    path: string,
    { body, raw, headers = {} }: SendOptions = {},
  ): Promise<Reply> => {
    const response = await fetch(server.url + patientPath(path), {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...always,
        ...headers,
      },
      ...(raw !== undefined
        ? { body: raw as Buffer }
        : body !== undefined && { body: JSON.stringify(patientBody(body)) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parseBody(text) };
  };
  return {
    key,
    send,
    get: (path, headers) => send('GET', path, { ...(headers && { headers }) }),
    post: (path, body, headers) => send('POST', path, { body: body ?? {}, ...(headers && { headers }) }),
    patch: (path, body, headers) => send('PATCH', path, { body, ...(headers && { headers }) }),
    put: (path, body, headers) => send('PUT', path, { body: body ?? {}, ...(headers && { headers }) }),
    delete: (path, headers) => send('DELETE', path, { ...(headers && { headers }) }),
    async store(memory) {
      const reply = await send('POST', '/v1/memories', { body: { duplicates: 'keep', ...memory } });
      if (reply.status !== 201)
        throw new Error(`store answered ${reply.status} ${JSON.stringify(reply.body)}`);
      return reply.body;
    },
    async bulk(lines, headers = {}) {
      const raw = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
      const reply = await send('POST', '/v1/memories/bulk', {
        raw,
        headers: { 'content-type': 'application/x-ndjson', ...headers },
      });
      if (reply.status !== 200)
        throw new Error(`bulk answered ${reply.status} ${JSON.stringify(reply.body)}`);
      return Array.isArray(reply.body) ? reply.body : reply.body === undefined ? [] : [reply.body];
    },
  };
}

/** Default wait for requests with a position, long enough for a busy machine. */
const patienceMs = 25_000;

function patientPath(path: string): string {
  const isRead = /^\/v1\/(memories|stats|audit)/.test(path);
  return isRead && /[?&](minPosition|asOf)=/.test(path) && !path.includes('waitMs=')
    ? `${path}&waitMs=${patienceMs}`
    : path;
}

function patientBody(body: unknown): unknown {
  const named = (body ?? {}) as { minPosition?: unknown; asOf?: unknown; waitMs?: unknown };
  return typeof (named.minPosition ?? named.asOf) === 'string' && named.waitMs === undefined
    ? { ...named, waitMs: patienceMs }
    : body;
}

/** Parses JSON, or NDJSON into a list of lines. */
function parseBody(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    try {
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as unknown);
    } catch {
      return text;
    }
  }
}

/** The same key, acting for a user in every request. */
export function onBehalfOf(server: Pick<TestServer, 'url'>, { key }: Client, user: string): Client {
  return clientOf(server, key, { 'x-on-behalf-of': Buffer.from(user).toString('latin1') });
}

/** A client with a new key of `tenant`, created with the server's master key. In a new tenant, an admin's key is created first. */
export async function clientWithKey(
  server: ServerAddress,
  key: { tenant: string; role: string } & Record<string, unknown>,
): Promise<Client> {
  const master = clientOf(server, server.masterKey);
  let reply = await master.post('/v1/admin/keys', key);
  if (reply.body?.code === 'first-key-must-be-admin') {
    await master.post('/v1/admin/keys', { tenant: key.tenant, role: 'admin' });
    reply = await master.post('/v1/admin/keys', key);
  }
  if (reply.status !== 201) throw new Error(`keys answered ${reply.status} ${JSON.stringify(reply.body)}`);
  return clientOf(server, reply.body.key);
}

let counter = 0;

/** The name of a tenant that no other test of this server uses. */
export function freshTenant(): string {
  return `t${process.pid}_${++counter}`;
}
