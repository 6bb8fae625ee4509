import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from 'vitest';
import { clientWithKey, freshTenant } from '../support/api.ts';
import { asMcp, newMcpClient, type Mcp } from '../support/mcp.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer();
const examples = path.resolve('examples/mcp');

interface Configuration {
  readonly mcpServers: Readonly<
    Record<string, { command?: string; args?: string[]; url?: string; headers?: Record<string, string> }>
  >;
}

/** The only server of each configuration, by the name of its file. */
async function configurations() {
  const files = (await readdir(examples)).filter((name) => name.endsWith('.json'));
  return Promise.all(
    files.map(async (file) => {
      const { mcpServers } = JSON.parse(await readFile(path.join(examples, file), 'utf8')) as Configuration;
      const [configured, ...others] = Object.values(mcpServers);
      expect(others).toEqual([]);
      return { file, configured: configured! };
    }),
  );
}

describe('the configurations of MCP clients', () => {
  it('[J3] start the memory, all of them on one folder at once', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'stratalog-mcp-'));
    const programs = (await configurations()).filter(({ configured }) => configured.command !== undefined);
    expect(programs.map(({ file }) => file)).toEqual([
      'claude-code.json',
      'claude-desktop.json',
      'cursor.json',
    ]);
    const own = Object.entries(process.env).filter(([name]) => !name.startsWith('STRATALOG_'));
    const environment = { ...Object.fromEntries(own), STRATALOG_EMBEDDER: 'deterministic' } as Record<
      string,
      string
    >;
    const clients: Mcp[] = [];
    try {
      for (const { configured } of programs) {
        const args = configured.args!.map((word, index, words) =>
          words[index - 1] === '--data' ? folder : word,
        );
        expect(args).toContain(folder);
        const client = newMcpClient();
        await client.connect(
          new StdioClientTransport({
            command: configured.command!,
            args,
            env: environment,
            stderr: 'ignore',
          }),
        );
        clients.push(asMcp(client));
      }
      const [first, ...others] = clients;
      await first!.done('memory_store', { content: 'The spare bulb is in the shed.' });
      for (const other of others)
        expect(
          (await other.done('memory_search', { query: 'Where is the spare bulb?' })).results,
        ).toHaveLength(1);
    } finally {
      await Promise.all(clients.map(({ client }) => client.close()));
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('[J3] connect to a running server with a key', async () => {
    const { key } = await clientWithKey(server, { tenant: freshTenant(), role: 'member', user: 'ada' });
    const remote = (await configurations()).filter(({ configured }) => configured.url !== undefined);
    expect(remote.map(({ file }) => file)).toEqual(['claude-code-http.json', 'cursor-http.json']);
    for (const { configured } of remote) {
      const { pathname, port } = new URL(configured.url!);
      expect(port).toBe('8080');
      const authorization = configured.headers!['Authorization']!.replace(
        /\$\{(env:)?STRATALOG_API_KEY\}/,
        key!,
      );
      const client = newMcpClient();
      const transport = new StreamableHTTPClientTransport(new URL(pathname, server.url), {
        requestInit: { headers: { authorization } },
      });
      await client.connect(transport);
      await asMcp(client).done('memory_stats');
    }
  });

  it('[J3] are valid JSON in the guide too', async () => {
    const guide = await readFile('docs/guides/mcp.md', 'utf8');
    const blocks = Array.from(
      guide.matchAll(/```json\n(.*?)```/gs),
      ([, json]) => JSON.parse(json!) as object,
    );
    expect(blocks.length).toBeGreaterThanOrEqual(4);
    for (const block of blocks)
      expect(Object.keys(block)).toEqual([expect.stringMatching(/^(mcpS|s)ervers$/)]);
  });
});
