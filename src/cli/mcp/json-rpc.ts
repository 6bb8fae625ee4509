import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { ToolSet } from '../../mcp/session.ts';

/** Where a server answers MCP: an address, or the socket of a data folder. */
export type Target = { readonly url: string } | { readonly socketFile: string };

export interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The request may not have arrived, or its answer was lost. */
export class TargetGone extends Error {
  override readonly name = 'TargetGone';
}

/** The server refused the request before it read it as MCP. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

/** A request fails after this long without a byte. The server sends a sign of life every 15 s while it works. */
const silenceMs = 60_000;
/** Maximum number of characters quoted of the answer of a server that is not Stratalog. */
const maxReasonLength = 500;

const protocolVersion = '2025-11-25';

export interface Post {
  readonly method: string;
  readonly params: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** Which tools the server lists. */
  readonly tools?: ToolSet;
  readonly signal: AbortSignal;
  /** Receives the notifications that come before the answer. */
  readonly notified: (message: Message) => void;
  /** Called when there is no answer. The next one may come from another program, with other tools. */
  readonly lost: () => void;
  /** How long a server may be silent in the middle of a request. */
  readonly silenceMs?: number;
}

/** Sends one request and returns its answer. Throws `TargetGone` or `RequestRefused`. */
export async function post(target: Target, request: Post): Promise<Message> {
  const { method, params, signal, notified, lost } = request;
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  try {
    const response = await send(target, body, request);
    const { statusCode = 0, headers } = response;
    if (statusCode !== 200) throw new RequestRefused(statusCode, refusalOf(await textOf(response)));
    if (headers['content-type']?.startsWith('application/json'))
      return JSON.parse(await textOf(response)) as Message;
    for await (const message of eventsOf(response)) {
      if (message.id !== undefined && message.method === undefined) return message;
      notified(message);
    }
  } catch (cause) {
    if (cause instanceof RequestRefused || signal.aborted) throw cause;
    lost();
    throw new TargetGone(`${nameOf(target)} does not answer`, { cause });
  }
  lost();
  throw new TargetGone(`${nameOf(target)} ended in the middle of an answer`);
}

function send(
  target: Target,
  body: string,
  { headers, tools = 'all', signal, silenceMs: timeout = silenceMs }: Post,
): Promise<IncomingMessage> {
  const url = new URL('url' in target ? `${target.url}/mcp` : 'http://localhost/mcp');
  if (tools !== 'all') url.searchParams.set('tools', tools);
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        ...('socketFile' in target && { socketPath: target.socketFile }),
        method: 'POST',
        signal,
        timeout,
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'mcp-protocol-version': protocolVersion,
          ...headers,
        },
      },
      resolve,
    );
    outgoing.once('error', reject);
    outgoing.once('timeout', () => outgoing.destroy(new Error(`silent for ${timeout} ms`)));
    outgoing.end(body);
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** The messages of a stream of server-sent events. */
async function* eventsOf(response: IncomingMessage): AsyncGenerator<Message> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response) {
    const events = (rest + decoder.decode(chunk as Buffer, { stream: true })).split(/\r?\n\r?\n/);
    rest = events.pop()!;
    for (const event of events) {
      const data = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
      const text = data.map((line) => line.slice('data:'.length).trimStart()).join('\n');
      if (text !== '') yield JSON.parse(text) as Message;
    }
  }
}

function refusalOf(text: string): string {
  try {
    const { detail, error } = JSON.parse(text) as { detail?: string; error?: { message?: string } };
    return (detail ?? error?.message ?? text).slice(0, maxReasonLength);
  } catch {
    return 'the answer is not from Stratalog';
  }
}

function nameOf(target: Target): string {
  return 'url' in target ? target.url : 'the process that has the data folder open';
}
