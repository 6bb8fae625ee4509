import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';

export interface EmbeddingsRequest {
  readonly model: string;
  readonly input: string[];
  readonly encoding_format: string;
}

/** Answers one request in the server's stead. */
export type Script = (request: EmbeddingsRequest, response: ServerResponse) => void | Promise<void>;

export interface ScriptedEmbeddings {
  readonly baseURL: string;
  /** Every request so far, with its headers. */
  readonly requests: (EmbeddingsRequest & { readonly authorization: string | undefined })[];
  /** The next requests are answered by these, the others as a sound server would. */
  script(...next: Script[]): void;
  close(): Promise<void>;
}

/** An OpenAI-compatible `/v1/embeddings` on loopback that misbehaves as told. */
export async function scriptedEmbeddings(dimension: number): Promise<ScriptedEmbeddings> {
  const embedder = deterministicEmbedder({ dimension });
  const requests: ScriptedEmbeddings['requests'] = [];
  const scripts: Script[] = [];

  const sound: Script = async ({ input }, response) => {
    const vectors = await embedder.embed(input, 'passage');
    // Not of unit length, as some servers' are not.
    json(response, 200, {
      data: vectors.map((v, index) => ({ index, embedding: Array.from(v, (x) => x * 3) })),
    });
  };

  const server = createServer((message, response) => {
    void body(message).then(async (text) => {
      const request = JSON.parse(text) as EmbeddingsRequest;
      requests.push({ ...request, authorization: message.headers.authorization });
      if (message.url === '/v1/embeddings') await (scripts.shift() ?? sound)(request, response);
      else json(response, 404, {});
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    script: (...next) => void scripts.splice(0, Infinity, ...next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function json(
  response: ServerResponse,
  status: number,
  content: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof content === 'string' ? content : JSON.stringify(content));
}

async function body(message: IncomingMessage): Promise<string> {
  let text = '';
  message.setEncoding('utf8');
  for await (const piece of message) text += piece as string;
  return text;
}
