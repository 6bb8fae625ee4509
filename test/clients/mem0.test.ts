import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../support/api.ts';
import { newTenant } from '../support/tenant.ts';
import { useServer } from '../support/use-server.ts';

const run = promisify(execFile);
const folder = path.resolve('test/clients/mem0');
const python = path.resolve('.cache/mem0-python');

const server = useServer({
  because: 'these tests run beside the suites that share servers',
  environment: { STRATALOG_PROFILE: 'embedded', STRATALOG_EMBEDDER: 'deterministic' },
});
let home: string;

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'stratalog-mem0-'));
  await Promise.all([run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder }), installPython()]);
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** Written last: the requirements that are installed. */
const installed = path.join(python, 'installed.txt');

async function installPython(): Promise<void> {
  const file = path.join(folder, 'requirements.txt');
  const requirements = await readFile(file, 'utf8');
  if (existsSync(installed) && (await readFile(installed, 'utf8')) === requirements) return;
  await rm(python, { recursive: true, force: true });
  await mkdir(path.dirname(python), { recursive: true });
  await run('python3', ['-m', 'venv', python]);
  const words = [
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--no-deps',
    '--no-compile',
    '-r',
    file,
  ];
  await run(path.join(python, 'bin/pip'), words);
  await writeFile(installed, requirements);
}

/** Runs the program of a client in a new tenant, and returns what it printed. */
async function reportOf(program: string, file: string): Promise<Json> {
  const tenant = await newTenant(server);
  const { key } = await tenant.key({ role: 'agent', agents: ['bot'], users: ['*'] });
  const { stdout } = await run(program, [path.join(folder, file)], {
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      MEM0_DIR: home,
      MEM0_TELEMETRY: 'false',
      MEM0_HOST: `${server.url}/compat/mem0`,
      AGENT_KEY: key,
      ADMIN_KEY: tenant.admin.key,
    },
  });
  return JSON.parse(stdout.trim().split('\n').at(-1)!);
}

describe.each([
  ['mem0ai 3.3.1 of npm', process.execPath, 'npm_client.mjs'],
  ['mem0ai 2.2.1 of PyPI', path.join(python, 'bin/python'), 'python_client.py'],
])('%s', (_, program, file) => {
  it('[J3] works unchanged, with one key for many users', async () => {
    const { refusals, best, users, ...report } = await reportOf(program, file);
    expect(report).toEqual({
      added: [
        ['My allergy is hazelnuts.', 'ADD'],
        ['Noted: no hazelnuts.', 'ADD'],
      ],
      found: ['alex'],
      listed: [2, 1, 'string'],
      got: ['My allergy is hazelnuts.', 'alex', 'lunch', { role: 'user', dinnerTopic: 'food' }],
      updated: 'My allergy is walnuts.',
      history: [
        ['ADD', null, 'My allergy is hazelnuts.'],
        ['UPDATE', 'My allergy is hazelnuts.', 'My allergy is walnuts.'],
      ],
      messages: [expect.any(String), 'Successfully updated 1 memory', 'Memory deleted successfully!'],
      left: 0,
      after: 0,
    });
    expect(best).toContainEqual(['My allergy is hazelnuts.', 'number']);
    expect(users.sort()).toEqual([
      ['run', 'lunch', 2],
      ['user', 'alex', 2],
      ['user', 'berta', 1],
    ]);
    expect(refusals).toMatchObject({
      missing: {
        name: 'MemoryNotFoundError',
        code: 'HTTP_404',
        message: expect.stringContaining('no such memory'),
      },
      unsupported: {
        name: 'MemoryError',
        code: 'HTTP_501',
        message: expect.stringContaining('stratalog export'),
      },
      invalid: {
        name: 'ValidationError',
        code: 'HTTP_400',
        message: expect.stringContaining('filters.topic'),
      },
      stranger: { message: expect.stringContaining('credential') },
    });
  });
});
