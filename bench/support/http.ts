import http from 'node:http';
import { Readable } from 'node:stream';

/** What JSON holds, unchecked: each benchmark checks what it uses. */
export type Json = ReturnType<typeof JSON.parse>;

export interface Reply {
  readonly status: number;
  readonly body: Json;
}

/** A caller with kept-alive connections: cheap, since it shares the machine with what it measures. */
export class HttpClient {
  readonly #host: string;
  readonly #port: string;
  readonly #key: string | undefined;
  readonly #agent: http.Agent;

  /** `connections`: most requests under way at once. */
  constructor(url: string, key?: string, connections = 16) {
    const { hostname, port } = new URL(url);
    this.#host = hostname;
    this.#port = port;
    this.#key = key;
    this.#agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> {
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
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
    return {
      status: response.statusCode!,
      body: answer === '' ? undefined : (JSON.parse(answer) as unknown),
    };
  }

  /** As `send`, and rejects where the status is not `status`. */
  async expect(status: number, method: string, path: string, body?: unknown): Promise<Json> {
    const reply = await this.send(method, path, body);
    if (reply.status === status) return reply.body;
    throw new Error(`${method} ${path} answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  }

  /** Sends memories through the bulk call as they come; answers its lines. */
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

/** Less work than `stream/consumers`: what the caller burns is missing to the server. */
function read(response: http.IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    response.once('error', reject);
  });
}
