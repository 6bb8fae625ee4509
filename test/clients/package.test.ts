import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { asMcp, newMcpClient } from '../support/mcp.ts';
import { awkwardFolder, filesIn, installServer, pack, shellEnvironment } from '../support/packages.ts';

const run = promisify(execFile);

let folder: string;
let tarball: string;
let app: string;
let port: number;

beforeAll(async () => {
  folder = await awkwardFolder();
  // As the guide packs it.
  const [, ...words] = /^npm pack( --ignore-scripts=false)/m.exec(await page('docs/guides/install.md'))!;
  tarball = await pack('.', [words[0]!.trim()], folder);
  app = await installServer(tarball, folder);
  port = await freePort();
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));

interface Bill {
  readonly bomFormat: string;
  readonly metadata: { readonly component: { readonly name: string } };
  readonly components: readonly { name: string; version?: string; licenses: readonly unknown[] }[];
  readonly dependencies: Readonly<Record<string, string>>;
}

const page = (file: string): Promise<string> => readFile(file, 'utf8');

/** The shell blocks of a page. */
async function blocksOf(file: string): Promise<string[]> {
  return [...(await page(file)).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code]) => code!);
}

const environment = () => ({ ...shellEnvironment(), STRATALOG_URL: `http://127.0.0.1:${port}` });

/** Runs a block of a page in the folder of the installation. */
function shell(block: string): Promise<{ stdout: string; stderr: string }> {
  const code = block.replaceAll('localhost:8080', `127.0.0.1:${port}`);
  return run('bash', ['-euo', 'pipefail', '-c', code], { cwd: app, env: environment() });
}

/** Starts the server by the command of the pages. */
async function serve(): Promise<ChildProcess> {
  const child = spawn('npx', ['stratalog', 'serve', '--port', String(port)], {
    cwd: app,
    env: environment(),
    stdio: 'ignore',
    // npx starts the program as a child of its own.
    detached: true,
  });
  const isReady = async (): Promise<boolean> => {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    return answer?.ok ?? false;
  };
  await expect.poll(isReady, { timeout: 60_000 }).toBe(true);
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  process.kill(-child.pid!, 'SIGTERM');
  await once(child, 'exit');
}

describe('[J1] [J3] the packed server', () => {
  it('holds what a user needs', async () => {
    const names = await filesIn(tarball);
    for (const needed of [
      'dist/main.js',
      'dist/console/index.html',
      'dist/console/licenses.md',
      'bin/stratalog.mjs',
      'corpus/memories.ndjson',
      'docs/guides/install.md',
      'models/multilingual-e5-small/model.onnx',
      'ops/stratalog.service',
      'vendor/swagger-ui/LICENSE',
      'SECURITY.md',
    ])
      expect(names).toContain(needed);
    expect(names.filter((name) => /^(test|bench|docs\/plans)\//.test(name))).toEqual([]);
  });

  it('[I5] says what it consists of', async () => {
    const { stdout } = await run('tar', ['xzOf', tarball, 'package/dist/sbom.cdx.json'], {
      maxBuffer: 10_000_000,
    });
    const { bomFormat, metadata, components } = JSON.parse(stdout) as Bill;
    expect([bomFormat, metadata.component.name]).toEqual(['CycloneDX', 'stratalog']);
    const { dependencies } = JSON.parse(await page('package.json')) as Bill;
    const named = components.map(({ name, version }) => `${name}@${version}`);
    for (const [name, version] of Object.entries(dependencies)) expect(named).toContain(`${name}@${version}`);
    for (const { name, licenses } of components) expect(licenses, name).toHaveLength(1);
    expect(named.filter((name) => name.includes('scarf'))).toEqual([]);
  });

  it('runs the commands of the README, in a folder with an awkward name', async () => {
    const readme = await blocksOf('README.md');
    const http = readme.find((code) => code.startsWith('curl'))!;
    const terminal = readme.find((code) => code.includes('npx stratalog import'))!;
    // The first lines of the corpus, because all of it takes a minute to embed.
    const corpus = await page(path.join(app, 'node_modules/stratalog/corpus/memories.ndjson'));
    const about = corpus.split('\n').filter((line) => line.includes('Reporting a vulnerability'));
    await mkdir(path.join(app, 'corpus'));
    await writeFile(path.join(app, 'corpus/memories.ndjson'), `${about.join('\n')}\n`);
    const server = await serve();
    try {
      expect((await shell(http)).stdout).toMatch(/"results":\[\{.*PostgreSQL 18/);
      const { stdout } = await shell(terminal);
      expect(stdout).toMatch(new RegExp(`^${about.length} stored`, 'm'));
      expect(stdout).toMatch(/vulnerability/);
      expect(stdout).toMatch(/SearchPerformed/);
      // The next server finds the port taken, and another one on the same folder finds it locked.
      const taken = await shell(`npx stratalog serve --data other --port ${port}`).catch(
        (error: unknown) => error,
      );
      expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining(`Port ${port} is in use`) });
      const locked = await shell('npx stratalog serve --port 0').catch((error: unknown) => error);
      expect(locked).toMatchObject({ code: 1, stderr: expect.stringMatching(/is in use by process \d+/) });
    } finally {
      await end(server);
    }
    await writeFile(path.join(app, '.stratalog/VERSION'), '99\n');
    const newer = await shell('npx stratalog serve --port 0').catch((error: unknown) => error);
    expect(newer).toMatchObject({ code: 1, stderr: expect.stringContaining('has format 99') });
  });

  it('serves MCP', async () => {
    const client = newMcpClient('legacy');
    await client.connect(
      new StdioClientTransport({
        command: 'npx',
        args: ['stratalog', 'mcp', '--data', 'Gedächtnis'],
        cwd: app,
        env: shellEnvironment(),
        stderr: 'ignore',
      }),
    );
    try {
      const mcp = asMcp(client);
      const { memory } = await mcp.done('memory_store', { content: 'The ferry leaves at nine.' });
      const { results } = await mcp.done('memory_search', { query: 'When does the ferry leave?' });
      expect(results).toMatchObject([{ memory: { id: memory.id } }]);
    } finally {
      await client.close();
    }
  });

  // What a plain `npm pack` leaves out, because `.npmrc` switches scripts off.
  it('builds itself at its first start if it was packed without dist/', async () => {
    const installed = path.join(app, 'node_modules/stratalog');
    await rm(path.join(installed, 'dist'), { recursive: true });
    const { version } = JSON.parse(await page('package.json')) as { version: string };
    expect((await shell('npx stratalog --version')).stdout).toBe(`${version}\n`);
    expect(existsSync(path.join(installed, '.cache'))).toBe(true);
  });
});
