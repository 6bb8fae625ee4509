import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers one request instead of the default answer. */
export type ScriptFor<Request> = (request: Request, response: ServerResponse) => void | Promise<void>;

export interface ScriptedEndpoint<Request> {
  readonly baseURL: string;
  /** All requests so far, with their authorization headers. */
  readonly requests: (Request & { readonly authorization: string | undefined })[];
  /** These answer the next requests. Others get the default answer of a correct server. */
  script(...next: ScriptFor<Request>[]): void;
  /** Sets the script for all requests without their own; if undefined, they get the default answer. */
  always(script?: ScriptFor<Request>): void;
  close(): Promise<void>;
}

/** A scripted endpoint of an OpenAI-compatible API on loopback, with its list of models. */
export async function scriptedEndpoint<Request extends object>(
  path: string,
  sound: ScriptFor<Request>,
  models: readonly string[] = [],
): Promise<ScriptedEndpoint<Request>> {
  const requests: ScriptedEndpoint<Request>['requests'] = [];
  const scripts: ScriptFor<Request>[] = [];
  let usual = sound;
  const server = createServer((message, response) => {
    void body(message).then(async (text) => {
      if (message.url === '/v1/models') return json(response, 200, { data: models.map((id) => ({ id })) });
      if (message.url !== path) return json(response, 404, {});
      const request = JSON.parse(text) as Request;
      requests.push({ ...request, authorization: message.headers.authorization });
      await (scripts.shift() ?? usual)(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    script: (...next) => void scripts.splice(0, Infinity, ...next),
    always: (script = sound) => void (usual = script),
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
