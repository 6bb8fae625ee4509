import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forwardingServer, type Send } from '../../src/cli/mcp/forward.ts';
import { RequestRefused, TargetGone, type Message } from '../../src/cli/mcp/json-rpc.ts';

let client: Client;
let tools: string[];
let changed: string[];
let send: Send;

/** Answers as a server of the memory does. */
async function answer({ method }: Parameters<Send>[0]): Promise<Message> {
  if (method === 'tools/call') return { result: { content: [{ type: 'text', text: 'done' }] } };
  const listed = tools.map((name) => ({
    name,
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: name.startsWith('read') },
  }));
  return { result: { tools: listed, prompts: [], resources: [] } };
}

async function connect(mode: 'legacy' | 'auto'): Promise<void> {
  const note = (kind: string) => ({ onChanged: () => void changed.push(kind), autoRefresh: false });
  client = new Client(
    { name: 'test', version: '1' },
    {
      versionNegotiation: { mode },
      listChanged: { tools: note('tools'), prompts: note('prompts'), resources: note('resources') },
    },
  );
  const [own, other] = InMemoryTransport.createLinkedPair();
  serveStdio(() => forwardingServer('1', (request) => send(request)), { transport: other });
  await client.connect(own);
}

beforeEach(() => {
  tools = ['read', 'write'];
  changed = [];
  send = answer;
});
afterEach(() => client.close());

const call = (name: string) => client.callTool({ name, arguments: {} });
/** Waits until what was sent meanwhile has arrived. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 50));

describe.each(['legacy', 'auto'] as const)('a client on standard input, in the protocol %s,', (mode) => {
  beforeEach(() => connect(mode));

  it('[J3] hears that the memories changed after a call that does not only read', async () => {
    await client.listTools();
    await call('read');
    await settled();
    expect(changed).toEqual([]);
    await call('write');
    await expect.poll(() => changed).toContain('resources');
  });

  it('[J3] hears that tools appeared when another program serves the memory', async () => {
    await client.listTools();
    await client.listPrompts();
    const lostOnce: Send = (request) => {
      request.lost();
      send = answer;
      return answer(request);
    };
    send = lostOnce;
    await call('read');
    await settled();
    expect(changed).toEqual([]);
    tools = [...tools, 'read_more'];
    send = lostOnce;
    await call('read');
    await expect.poll(() => changed).toEqual(['tools']);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('read_more');
  });

  it('[J3] receives the progress of a call', async () => {
    send = async (request) => {
      const { _meta: meta } = request.params as { _meta: { progressToken: string | number } };
      for (const progress of [1, 2])
        request.notified({
          method: 'notifications/progress',
          params: { progressToken: meta.progressToken, progress },
        });
      await settled();
      return answer(request);
    };
    const seen: number[] = [];
    await client.callTool(
      { name: 'read', arguments: {} },
      { onprogress: ({ progress }) => void seen.push(progress) },
    );
    expect(seen).toEqual([1, 2]);
  });

  it('[J3] is told which credential is missing, and when no server answers', async () => {
    const failing = async (error: Error): Promise<unknown> => {
      send = async () => {
        throw error;
      };
      return call('read');
    };
    expect(await failing(new RequestRefused(401, 'the request has no Authorization header'))).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('STRATALOG_API_KEY') }],
    });
    expect(await failing(new TargetGone('http://127.0.0.1:9 does not answer'))).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('http://127.0.0.1:9 does not answer') }],
    });
    const secret = await failing(new Error('a secret of the program\n    at file.ts:1:1'));
    expect(secret).toMatchObject({ isError: true });
    expect(JSON.stringify(secret)).not.toMatch(/secret|file\.ts/);
    await expect(client.listTools()).rejects.toThrow('The call failed');
  });

  it('[J3] cancels a call', async () => {
    let isCancelled = false;
    send = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          isCancelled = true;
          reject(new Error('cancelled'));
        });
      });
    const own = new AbortController();
    const called = client.callTool({ name: 'read', arguments: {} }, { signal: own.signal });
    await settled();
    own.abort();
    await expect(called).rejects.toThrow();
    await expect.poll(() => isCancelled).toBe(true);
  });
});
