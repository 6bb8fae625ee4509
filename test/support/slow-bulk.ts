import http from 'node:http';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Client, Json } from './api.ts';
import type { ServerAddress } from './server.ts';

/** A bulk request whose lines are sent and answered one at a time. */
export interface SlowBulk {
  /** Sends text unchanged. */
  write(text: string): Promise<void>;
  send(memory: unknown): Promise<void>;
  /** The next line of the answer; undefined at its end. */
  line(): Promise<Json>;
  /** Ends the request body. */
  end(): void;
  /** Closes the connection before the end of the request. */
  cut(): void;
}

export function slowBulk(
  server: ServerAddress,
  client: Client,
  headers: Record<string, string> = {},
): SlowBulk {
  const request = http.request(`${server.url}/v1/memories/bulk`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${client.key}`,
      'content-type': 'application/x-ndjson',
      ...headers,
    },
  });
  const response = once(request, 'response') as Promise<[http.IncomingMessage]>;
  response.catch(() => undefined);
  let lines: AsyncIterator<string> | undefined;
  const write = (text: string) =>
    new Promise<void>((resolve, reject) => {
      request.write(text, (error) => (error ? reject(error) : resolve()));
    });
  return {
    write,
    send: (memory) => write(`${JSON.stringify(memory)}\n`),
    async line() {
      const [incoming] = await response;
      lines ??= createInterface({ input: incoming })[Symbol.asyncIterator]();
      const { value, done } = await lines.next();
      return done ? undefined : JSON.parse(value);
    },
    end: () => {
      request.end();
    },
    cut: () => {
      request.on('error', () => undefined);
      request.destroy();
    },
  };
}
