import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, expect } from 'vitest';
import type { Client, Json } from './api.ts';
import type { ServerAddress } from './server.ts';

/** The answer of a tool, with the text in one piece. */
export interface ToolReply {
  readonly isError: boolean;
  readonly text: string;
  readonly fields: Json;
  readonly meta: Json;
}

export interface Mcp {
  readonly client: McpClient;
  /** Calls a tool. */
  tool(name: string, parameters?: Record<string, unknown>): Promise<ToolReply>;
  /** Calls a tool and expects that it is not refused. Returns the fields of its answer. */
  done(name: string, parameters?: Record<string, unknown>): Promise<Json>;
}

const open: McpClient[] = [];

afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

/** `legacy`: the protocol with sessions, of 2025; `auto`: the newest one that both sides know. */
export type Era = 'legacy' | 'auto';

export function newMcpClient(era: Era = 'auto'): McpClient {
  const client = new McpClient({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } });
  open.push(client);
  return client;
}

/** Connects the official client to `/mcp` with the key of `client`. It is closed after the test. */
export async function connectMcp(
  { url }: Pick<ServerAddress, 'url'>,
  { key }: Pick<Client, 'key'>,
  era?: Era,
): Promise<Mcp> {
  const client = newMcpClient(era);
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }));
  return asMcp(client);
}

export function asMcp(client: McpClient): Mcp {
  const tool = async (name: string, parameters: Record<string, unknown> = {}): Promise<ToolReply> => {
    const { content, isError, structuredContent, _meta } = await client.callTool({
      name,
      arguments: parameters,
    });
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    return { isError: isError ?? false, text, fields: structuredContent, meta: _meta };
  };
  return {
    client,
    tool,
    async done(name, parameters) {
      const { isError, text, fields } = await tool(name, parameters);
      expect(isError, text).toBe(false);
      return fields;
    },
  };
}
