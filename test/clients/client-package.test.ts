import { execFile } from 'node:child_process';
import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { awkwardFolder, npm, pack } from '../support/packages.ts';
import { useSharedServer } from '../support/use-server.ts';
import { newTenant } from '../support/tenant.ts';

const run = promisify(execFile);
const server = useSharedServer();
const packageFolder = path.resolve('packages/client');
const tsc = path.resolve('node_modules/.bin/tsc');

const program = `
import { isProblem, Memory, Stratalog, type SearchAnswer, type StoredMemory } from '@stratalog/client';

const stratalog = new Stratalog();
const { memory }: { memory: StoredMemory } = await stratalog.memories.store({ content: 'Mia likes tea' });
const { results }: SearchAnswer = await stratalog.search({ query: 'What does Mia like?' });
// @ts-expect-error: no such field
const wrong = () => stratalog.search({ question: 'x' });
let code: 'not-found' | undefined;
await stratalog.memories.get('unknown').catch((error: unknown) => {
  if (isProblem(error, 'not-found')) code = error.code;
});
const items = await new Memory({ client: stratalog }).getAll({ userId: 'ada' });
console.log(JSON.stringify([results[0]?.memory.id === memory.id, code, items.results.length, typeof wrong]));
`;

/** The ways to install it that the guide names, in an empty folder. */
const ways = [
  ['a packed file', async (folder: string) => [await pack('packages/client', [], folder)]],
  ['a link to the folder of the checkout', () => Promise.resolve([packageFolder])],
  ['a copy of that folder', () => Promise.resolve(['--install-links', packageFolder])],
] as const;

describe.each(ways)('[J3] the client, installed from %s', (_, words) => {
  let folder: string;

  beforeAll(async () => {
    folder = await awkwardFolder();
    // npm has to build it.
    await rm(path.join(packageFolder, 'dist'), { recursive: true, force: true });
    const installing = ['install', '--offline', '--no-audit', '--no-fund', ...(await words(folder))];
    await writeFile(path.join(folder, 'package.json'), '{"type": "module"}');
    await writeFile(path.join(folder, 'program.ts'), program);
    await npm(installing, folder);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('needs nothing else', async () => {
    const installed = await readdir(path.join(folder, 'node_modules'));
    expect(installed.filter((name) => !name.startsWith('.'))).toEqual(['@stratalog']);
  });

  it('has the code and the types of its adapters', async () => {
    const built = await readdir(path.join(folder, 'node_modules/@stratalog/client/dist/frameworks'));
    for (const adapter of ['langgraph', 'langchain', 'ai-sdk', 'openai-agents'])
      expect(built).toEqual(expect.arrayContaining([`${adapter}.js`, `${adapter}.d.ts`]));
  });

  it.each([
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])('has types for modules of kind %s (%s)', async (module, moduleResolution) => {
    const settings = { module, moduleResolution, target: 'es2022', types: [''] };
    const options = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    await run(tsc, ['--strict', '--exactOptionalPropertyTypes', ...options, 'program.ts'], { cwd: folder });
  });

  it('runs in a program', async () => {
    const { admin } = await newTenant(server);
    const environment = { STRATALOG_URL: server.url, STRATALOG_API_KEY: admin.key };
    const { stdout } = await run(process.execPath, ['program.js'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], ...environment },
    });
    expect(JSON.parse(stdout)).toEqual([true, 'not-found', 1, 'function']);
  });
});
