import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Router } from '@koa/router';
import {
  Server,
  type CallToolResult,
  type GetPromptResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import Koa from 'koa';
import { pino } from 'pino';
import { Authenticator } from '../../src/api/identity/authenticate.ts';
import { answerErrors } from '../../src/http/errors.ts';
import { serveMcp } from '../../src/http/serve-mcp.ts';

/*
 * The tools, resources and prompts that the conformance suite looks for, served by the route that also serves the memory. So
 * the suite tests the transport, the checks of Host and Origin, and how notifications and errors reach a client.
 */

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const text = (text: string) => ({ type: 'text', text }) as const;
const image = { type: 'image', data: png, mimeType: 'image/png' } as const;
const resource = (uri: string, mimeType: string, text: string) =>
  ({ type: 'resource', resource: { uri, mimeType, text } }) as const;
const noParameters = { type: 'object' } as const;

type Call = (context: ServerContext) => CallToolResult | Promise<CallToolResult>;

async function reportProgress({ mcpReq }: ServerContext): Promise<CallToolResult> {
  for (const progress of [0, 50, 100]) {
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken !== undefined)
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 100 },
      });
    await pause(50);
  }
  return { content: [text('done')] };
}

async function log({ mcpReq }: ServerContext): Promise<CallToolResult> {
  for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } });
    await pause(50);
  }
  return { content: [text('done')] };
}

const tools: Readonly<Record<string, Call>> = {
  test_simple_text: () => ({ content: [text('This is a simple text response for testing.')] }),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }),
  test_multiple_content_types: () => ({
    content: [
      text('Multiple content types test:'),
      image,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }),
  test_error_handling: () => ({
    isError: true,
    content: [text('This tool intentionally returns an error for testing')],
  }),
  test_tool_with_progress: reportProgress,
  test_tool_with_logging: log,
  json_schema_2020_12_tool: () => ({ content: [] }),
};

const schemas = {
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
    },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  },
} as const;

const user = (...contents: GetPromptResult['messages'][number]['content'][]): GetPromptResult => ({
  messages: contents.map((content) => ({ role: 'user', content })),
});

const prompts: Readonly<Record<string, (parameters: Record<string, string>) => GetPromptResult>> = {
  test_simple_prompt: () => user(text('This is a simple prompt for testing.')),
  test_prompt_with_arguments: ({ arg1, arg2 }) =>
    user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  test_prompt_with_embedded_resource: ({ resourceUri = '' }) =>
    user(
      resource(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
      text('Please process the embedded resource above.'),
    ),
  test_prompt_with_image: () => user(image, text('Please analyze the image above.')),
};

const resources: Readonly<Record<string, object>> = {
  'test://static-text': {
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  'test://static-binary': { mimeType: 'image/png', blob: png },
  'test://template/123/data': {
    mimeType: 'application/json',
    text: '{"id":"123","templateTest":true,"data":"Data for ID: 123"}',
  },
  'test://watched-resource': { mimeType: 'text/plain', text: 'watched' },
};

function fixture(): Server {
  const server = new Server(
    { name: 'fixture', version: '1' },
    {
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, logging: {}, completions: {} },
    },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: Object.keys(tools).map((name) => ({
      name,
      description: name,
      inputSchema: name in schemas ? schemas[name as keyof typeof schemas] : noParameters,
    })),
  }));
  server.setRequestHandler('tools/call', ({ params }, context) => tools[params.name]!(context));
  server.setRequestHandler('resources/list', () => ({
    resources: Object.keys(resources).map((uri) => ({ uri, name: uri })),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template' }],
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => ({
    contents: [{ uri, ...resources[uri] } as { uri: string; text: string }],
  }));
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.keys(prompts).map((name) => ({ name, description: name })),
  }));
  server.setRequestHandler('prompts/get', ({ params }) => prompts[params.name]!(params.arguments ?? {}));
  server.setRequestHandler('completion/complete', () => ({ completion: { values: [] } }));
  return server;
}

/** Serves the fixture on a free port, to everybody on this machine. */
export async function startFixture(): Promise<{ url: string; stop: () => void }> {
  const logger = pino({ level: 'silent' });
  const closing = new AbortController();
  const directory = { anyKeyEver: async () => false };
  const authenticator = new Authenticator({
    directory: directory as unknown as ConstructorParameters<typeof Authenticator>[0]['directory'],
    development: true,
  });
  const router = new Router();
  serveMcp(router, fixture, { authenticator, closing: closing.signal, logger });
  const koa = new Koa();
  koa.use((context, next) => answerErrors(context, next, logger));
  koa.use(router.routes());
  koa.use(router.allowedMethods());
  const server = koa.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      closing.abort();
      server.closeAllConnections();
      server.close();
    },
  };
}
