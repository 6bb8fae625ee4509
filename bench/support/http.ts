import http from 'node:http';
import { Readable } from 'node:stream';

/** Unchecked JSON. Each benchmark checks the fields that it uses. */
export type Json = ReturnType<typeof JSON.parse>;

export interface Reply {
  readonly status: number;
  readonly body: Json;
}

/** An HTTP client with kept-alive connections. It uses little CPU, because it shares the machine with the server that it measures. */
export class HttpClient {
  readonly #host: string;
  readonly #port: string;
  readonly #key: string | undefined;
  readonly #agent: http.Agent;

  /** `connections` is the maximum number of concurrent requests. */
  constructor(url: string, key?: string, connections = 16) {
    const { hostname, port } = new URL(url);
    this.#host = hostname;
    this.#port = port;
    this.#key = key;
    this.#agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  }

  send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> {
    return this.sendText(method, path, body === undefined ? undefined : JSON.stringify(body), headers);
  }

  /** Sends a body as it is, which need not be JSON. */
  async sendText(
    method: string,
    path: string,
    text: string | undefined,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> {
    const payload = text === undefined ? undefined : Buffer.from(text);
    const response = await this.#exchange(
      method,
      path,
      {
        ...(payload && { 'content-type': 'application/json', 'content-length': payload.length }),
        ...headers,
      },
      (request) => request.end(payload),
    );
    const answer = await read(response);
    // Streams of events are left as text.
    const isJson = /json/.test(response.headers['content-type'] ?? '');
    return {
      status: response.statusCode!,
      body: answer === '' ? undefined : isJson ? (JSON.parse(answer) as unknown) : answer,
    };
  }

  /** Like `send`, but rejects if the status is not `status`. */
  async expect(
    status: number,
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Json> {
    const reply = await this.send(method, path, body, headers);
    if (reply.status === status) return reply.body;
    throw new Error(`${method} ${path} answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  }

  /** Streams memories to the bulk call and returns the lines of its response. */
  async bulk(memories: Iterable<unknown>): Promise<Json[]> {
    function* lines() {
      for (const memory of memories) yield `${JSON.stringify(memory)}\n`;
    }
    const response = await this.#exchange(
      'POST',
      '/v1/memories/bulk',
      { 'content-type': 'application/x-ndjson' },
      (request) => Readable.from(lines()).pipe(request),
    );
    const answer = await read(response);
    if (response.statusCode !== 200) throw new Error(`bulk answered ${response.statusCode}: ${answer}`);
    return answer
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown);
  }

  close(): void {
    this.#agent.destroy();
  }

  #exchange(
    method: string,
    path: string,
    headers: http.OutgoingHttpHeaders,
    write: (request: http.ClientRequest) => void,
  ): Promise<http.IncomingMessage> {
    return new Promise((resolve, reject) => {
      const request = http.request(
        {
          host: this.#host,
          port: this.#port,
          path,
          method,
          agent: this.#agent,
          headers: { ...(this.#key !== undefined && { authorization: `Bearer ${this.#key}` }), ...headers },
        },
        resolve,
      );
      request.once('error', reject);
      write(request);
    });
  }
}

/** Cheaper than `stream/consumers`. CPU time that the client uses is not available to the server. */
function read(response: http.IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    response.once('error', reject);
  });
}
