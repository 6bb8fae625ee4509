import type { Command } from 'commander';

export interface Connection {
  readonly url: string;
  readonly key: string | undefined;
  /** The user that a key of role agent acts for. */
  readonly onBehalfOf?: string | undefined;
  readonly json: boolean;
}

/** The server answered with a problem document. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly problem: { code?: string; detail?: string; errors?: { path: string; message: string }[] };

  constructor(status: number, problem: ApiError['problem']) {
    super(problem.detail ?? `the server answered ${status}`);
    this.status = status;
    this.problem = problem;
  }
}

/** No server answers at this address. */
export class ServerUnreachable extends Error {
  override readonly name = 'ServerUnreachable';
}

/** The answer ended before it was complete. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

const defaultUrl = 'http://127.0.0.1:8080';

/** Reads the connection from the options, or else from the environment. An invalid value ends the command as a usage error. */
export function connectionOf(command: Command): Connection {
  const options = command.optsWithGlobals<{
    url?: string;
    key?: string;
    onBehalfOf?: string;
    json?: boolean;
  }>();
  // An empty variable counts as unset, as it does for the server.
  const key = options.key ?? (process.env['STRATALOG_API_KEY'] || undefined);
  // fetch reports an invalid header as a network failure, so the key is checked here.
  if (key !== undefined && !/^[\x20-\x7e]+$/.test(key.trim()))
    command.error('error: --key (STRATALOG_API_KEY) must be an API key or a JWT, in visible ASCII');
  const url = options.url ?? (process.env['STRATALOG_URL'] || defaultUrl);
  if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url))
    command.error(
      `error: --url (STRATALOG_URL) must be an http or https address such as ${defaultUrl}, not ${url}`,
    );
  return {
    url: url.replace(/\/+$/, ''),
    key,
    onBehalfOf: options.onBehalfOf ?? (process.env['STRATALOG_ON_BEHALF_OF'] || undefined),
    json: options.json ?? false,
  };
}

export interface RequestOptions {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** Sends one request and returns the JSON of the answer. Throws `ApiError`, `ServerUnreachable` or `ConnectionLost`. */
export async function call<Answer>(
  connection: Connection,
  path: string,
  options: RequestOptions = {},
): Promise<Answer> {
  const { body, headers, ...rest } = options;
  const response = await open(connection, path, {
    ...rest,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text().catch((cause: unknown) => lost(cause));
  try {
    return JSON.parse(text) as Answer;
  } catch (cause) {
    throw new ServerUnreachable(`something other than Stratalog answers at ${connection.url}`, { cause });
  }
}

/** All items of a list, page by page. */
export async function* allOf<Item>(
  connection: Connection,
  path: string,
  asked: Readonly<Record<string, string>> = {},
): AsyncGenerator<Item> {
  let cursor: string | undefined;
  do {
    const parameters = new URLSearchParams({
      ...asked,
      limit: '500',
      ...(cursor !== undefined && { cursor }),
    });
    const page = await call<{ items: Item[]; nextCursor?: string }>(
      connection,
      `${path}?${parameters.toString()}`,
    );
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

/** Sends one request and returns the response unread, for streaming. */
export async function open(
  connection: Connection,
  path: string,
  init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string>; duplex?: 'half' } = {},
): Promise<Response> {
  const { url, key, onBehalfOf } = connection;
  let response: Response;
  try {
    response = await fetch(url + path, {
      ...init,
      headers: {
        ...init.headers,
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        // The server reads UTF-8 from the bytes of a header; fetch takes one character for each.
        ...(onBehalfOf !== undefined && { 'x-on-behalf-of': Buffer.from(onBehalfOf).toString('latin1') }),
      },
    });
  } catch (cause) {
    throw new ServerUnreachable(`no Stratalog answers at ${url}`, { cause });
  }
  if (response.ok) return response;
  const text = await response.text();
  let problem: ApiError['problem'];
  try {
    problem = JSON.parse(text) as ApiError['problem'];
  } catch {
    problem = { detail: `the server answered ${response.status}` };
  }
  throw new ApiError(response.status, problem);
}

/** The lines of an NDJSON answer, parsed, as they arrive. */
export async function* linesOf<Line>(response: Response): AsyncGenerator<Line> {
  const decoder = new TextDecoder();
  let rest = '';
  const body = response.body as unknown as AsyncIterable<Uint8Array>;
  const chunks = body[Symbol.asyncIterator]();
  for (;;) {
    const { value: chunk, done } = await chunks.next().catch((cause: unknown) => lost(cause));
    if (done) break;
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) if (line !== '') yield JSON.parse(line) as Line;
  }
  if (rest.trim() !== '') yield JSON.parse(rest) as Line;
}

function lost(cause: unknown): never {
  throw new ConnectionLost('the connection was lost in the middle of the answer', { cause });
}
