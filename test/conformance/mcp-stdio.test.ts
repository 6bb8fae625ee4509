import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectClear, stratalog } from '../support/cli.ts';
import { asMcp, newMcpClient, type Mcp } from '../support/mcp.ts';
import { stratalogCommand } from '../support/program.ts';
import { startServer } from '../support/server.ts';
import { newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

/*
 * Whole processes, as desktop clients start them. What one passes on, in both protocols, and how it says what is wrong, is in
 * test/unit/mcp-forward.test.ts.
 */

const server = useSharedServer('deterministic');
const [command, ...words] = stratalogCommand;

interface StdioMcp extends Mcp {
  readonly pid: number;
  readonly errors: string[];
}

function environmentWith(environment: Readonly<Record<string, string>>): Record<string, string> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('STRATALOG_'));
  return { ...(Object.fromEntries(own) as Record<string, string>), ...environment };
}

/** Starts `stratalog mcp` as a desktop client does. It ends after the test. */
async function start(args: string[], environment: Record<string, string> = {}): Promise<StdioMcp> {
  const transport = new StdioClientTransport({
    command,
    args: [...words, 'mcp', ...args],
    env: environmentWith(environment),
    stderr: 'pipe',
  });
  const errors: string[] = [];
  transport.stderr?.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  const client = newMcpClient('legacy');
  await client.connect(transport);
  return { ...asMcp(client), pid: transport.pid!, errors };
}

describe('with a running server', () => {
  it('[A16] [J3] [J4] passes calls and refusals on', async () => {
    const ada = await (await newTenant(server)).key({ user: 'ada' });
    const mcp = await start(['--url', server.url], { STRATALOG_API_KEY: ada.key! });
    const { memory } = await mcp.done('memory_store', { content: 'The spare bulb is in the shed.' });
    expect((await ada.get(`/v1/memories/${memory.id}`)).body).toMatchObject({ content: memory.content });
    expect((await mcp.tool('memory_search', {})).text).toContain('query: is required');
    const { tools } = await mcp.client.listTools();
    expect(tools.map(({ name }) => name)).toContain('memory_search');
    expect((await mcp.client.listResources()).resources).toMatchObject([
      { uri: 'space://' },
      { uri: `memory://${memory.id}` },
    ]);
    expect(JSON.stringify(await mcp.client.getPrompt({ name: 'memory_guide' }))).toContain('memory_search');
  });

  it('[J2] [J3] ends when a message has no end, and when the client has gone', async () => {
    const run = (): ChildProcess =>
      spawn(command, [...words, 'mcp', '--url', server.url], {
        env: environmentWith({}),
        stdio: ['pipe', 'ignore', 'ignore'],
      });
    const [flooded, left] = [run(), run()];
    const ended = Promise.all([once(flooded, 'exit'), once(left, 'exit')]);
    flooded.stdin!.on('error', () => undefined);
    flooded.stdin!.write('x'.repeat(11 * 1024 * 1024));
    left.stdin!.end();
    expect(await ended).toEqual([
      [0, null],
      [0, null],
    ]);
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

  it('[A16] [J3] shares the folder with other clients, and loses none of them when their holder is killed', async () => {
    const begun = performance.now();
    const holder = await startHere();
    // The first one holds the folder before the others come.
    await holder.done('memory_store', { content: 'The ferry leaves at nine.' });
    const startMs = performance.now() - begun;
    expect((await stat(path.join(folder, 'api.sock'))).mode & 0o777).toBe(0o600);
    expect(holder.errors.join('')).toContain('this process has the data folder open');
    const others = await Promise.all([startHere(), startHere()]);
    await Promise.all(
      others.map((client, n) => client.done('memory_store', { content: `From client ${n}` })),
    );
    process.kill(holder.pid, 'SIGKILL');
    const killed = performance.now();
    const stored = await Promise.all(
      others.map((client, n) => client.done('memory_store', { content: `After the end ${n}` })),
    );
    const silentMs = performance.now() - killed;
    console.log(`[MCP] the clients of a killed holder were silent for ${Math.round(silentMs)} ms`);
    expect(stored).toHaveLength(2);
    for (const client of others) {
      const { results } = await client.done('memory_search', { query: 'The ferry leaves at nine.' });
      expect(results[0]).toMatchObject({ memory: { content: 'The ferry leaves at nine.' } });
      expect((await client.done('memory_stats')).total.active).toBe(5);
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
      expect(await statusWithoutKey(path.join(folder, 'api.sock'))).toBe(401);
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

/** Status of a request to `/mcp` through a socket. */
function statusWithoutKey(socketPath: string): Promise<number> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return new Promise((resolve, reject) => {
    http
      .request({ socketPath, path: '/mcp', method: 'POST', headers }, ({ statusCode }) =>
        resolve(statusCode!),
      )
      .once('error', reject)
      .end('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
  });
}
