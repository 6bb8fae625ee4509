import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectClear, stratalog } from '../support/cli.ts';
import { asMcp, newMcpClient, type Era, type Mcp } from '../support/mcp.ts';
import { startServer } from '../support/server.ts';
import { newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
const program = path.resolve('bin/stratalog.mjs');

interface StdioMcp extends Mcp {
  readonly pid: number;
  readonly errors: string[];
}

/** Starts `stratalog mcp` as a desktop client does. It ends after the test. */
async function start(args: string[], environment: Record<string, string> = {}, era?: Era): Promise<StdioMcp> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('STRATALOG_'));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp', ...args],
    env: { ...(Object.fromEntries(own) as Record<string, string>), ...environment },
    stderr: 'pipe',
  });
  const errors: string[] = [];
  transport.stderr?.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  const client = newMcpClient(era);
  await client.connect(transport);
  return { ...asMcp(client), pid: transport.pid!, errors };
}

describe('with a running server', () => {
  it.each(['legacy', 'auto'] as const)(
    '[A16] [J3] [J4] passes calls and refusals on, in the protocol %s',
    async (era) => {
      const ada = await (await newTenant(server)).key({ user: 'ada' });
      const mcp = await start(['--url', server.url], { STRATALOG_API_KEY: ada.key! }, era);
      const { memory } = await mcp.done('memory_store', { content: 'The spare bulb is in the shed.' });
      expect((await ada.get(`/v1/memories/${memory.id}`)).body).toMatchObject({ content: memory.content });
      expect((await mcp.tool('memory_search', {})).text).toContain('query: is required');
      const { tools } = await mcp.client.listTools();
      expect(tools).toHaveLength(10);
      expect((await mcp.client.listResources()).resources).toMatchObject([{ uri: `memory://${memory.id}` }]);
      expect(JSON.stringify(await mcp.client.getPrompt({ name: 'memory_guide' }))).toContain('memory_search');
    },
  );

  it('[J3] says which credential is missing, and when no server answers', async () => {
    const anonymous = await start(['--url', server.url]);
    const refused = await anonymous.tool('memory_stats');
    expect(refused).toMatchObject({ isError: true });
    expect(refused.text).toContain('STRATALOG_API_KEY');
    const alone = await start(['--url', 'http://127.0.0.1:9']);
    expect(await alone.tool('memory_stats')).toMatchObject({
      isError: true,
      text: expect.stringContaining('http://127.0.0.1:9 does not answer'),
    });
  });

  it('[J4] refuses --data beside --url as a usage error', async () => {
    expectClear(await stratalog(['mcp', '--url', server.url, '--data', 'x']), 2, /exclude each other/);
  });
});

describe('with a data folder', () => {
  let folder: string;
  let environment: Record<string, string>;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'stratalog-mcp-'));
    environment = { STRATALOG_EMBEDDER: 'deterministic', STRATALOG_EMBEDDING_WORKERS: '1' };
  });
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));

  const startHere = () => start(['--data', folder], environment);

  it('[A16] [J3] keeps what was stored for the next client, and logs to standard error alone', async () => {
    const first = await startHere();
    await first.done('memory_store', { content: 'The ferry leaves at nine.' });
    expect((await stat(path.join(folder, 'api.sock'))).mode & 0o777).toBe(0o600);
    expect(first.errors.join('')).toContain('this process has the data folder open');
    await first.client.close();
    const second = await startHere();
    expect(
      (await second.done('memory_search', { query: 'The ferry leaves at nine.' })).results,
    ).toMatchObject([{ memory: { content: 'The ferry leaves at nine.' } }]);
  });

  it('[J3] shares the folder with other clients, and loses none of them when their holder is killed', async () => {
    const begun = performance.now();
    const clients = [await startHere()];
    // The first one holds the folder before the others come.
    await clients[0]!.done('memory_store', { content: 'From client 0' });
    const startMs = performance.now() - begun;
    for (const n of [1, 2]) {
      const client = await startHere();
      await client.done('memory_store', { content: `From client ${n}` });
      clients.push(client);
    }
    const [holder, ...others] = clients;
    process.kill(holder!.pid, 'SIGKILL');
    const killed = performance.now();
    const stored = await Promise.all(
      others.map((client, n) => client.done('memory_store', { content: `After the end ${n}` })),
    );
    expect(stored).toHaveLength(2);
    const silentMs = performance.now() - killed;
    console.log(`[MCP] the clients of a killed holder were silent for ${Math.round(silentMs)} ms`);
    for (const client of others) {
      const { total } = await client.done('memory_stats');
      expect(total.active).toBe(5);
    }
    // On a busy machine everything takes longer.
    expect(silentMs).toBeLessThan(Math.max(5_000, 1.5 * startMs));
  });

  it('[J3] passes calls on to a server that has the folder open, and needs a key where keys exist', async () => {
    const served = await startServer({
      dataDir: folder,
      environment: { ...environment, STRATALOG_PROFILE: 'embedded' },
    });
    try {
      const admin = await (await newTenant(served)).key({ role: 'admin', user: 'ada' });
      const anonymous = await startHere();
      expect((await anonymous.tool('memory_stats')).text).toContain('STRATALOG_API_KEY');
      const mcp = await start(['--data', folder], { ...environment, STRATALOG_API_KEY: admin.key! });
      const { memory } = await mcp.done('memory_store', { content: 'Through the socket' });
      expect((await admin.get(`/v1/memories/${memory.id}`)).body).toMatchObject({
        content: 'Through the socket',
      });
    } finally {
      await served.remove();
    }
  });
});
