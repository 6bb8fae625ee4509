import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { asMcp, newMcpClient } from '../support/mcp.ts';

const run = promisify(execFile);

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'stratalog-package-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));

it('[J3] the packed package holds what a user needs, and serves MCP in an empty folder', async () => {
  const packed = await run('npm', [
    'pack',
    '--json',
    '--ignore-scripts=false',
    '--foreground-scripts=false',
    '--pack-destination',
    folder,
  ]);
  const [{ filename, files }] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf('[\n'))) as [
    { filename: string; files: { path: string }[] },
  ];
  const names = files.map((file) => file.path);
  for (const needed of ['dist/main.js', 'bin/stratalog.mjs', 'corpus/memories.ndjson', 'docs/guides/mcp.md'])
    expect(names).toContain(needed);
  expect(names.filter((name) => /^(src|test|bench|docs\/plans)\/|\.ts$/.test(name))).toEqual([]);

  await run('tar', ['xzf', path.join(folder, filename)], { cwd: folder });
  // The dependencies as an installation has them.
  await symlink(path.resolve('node_modules'), path.join(folder, 'package', 'node_modules'));
  const client = newMcpClient('legacy');
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [path.join(folder, 'package/bin/stratalog.mjs'), 'mcp'],
      cwd: folder,
      env: { PATH: process.env['PATH']! },
      stderr: 'ignore',
    }),
  );
  const mcp = asMcp(client);
  const { memory } = await mcp.done('memory_store', { content: 'The ferry leaves at nine.' });
  const { results } = await mcp.done('memory_search', { query: 'When does the ferry leave?' });
  expect(results).toMatchObject([{ memory: { id: memory.id } }]);
});
