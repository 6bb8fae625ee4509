import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import type { Client, Json } from './api.ts';
import { runInProcess } from './cli-in-process.ts';
import { stratalogCommand } from './program.ts';
import type { TestServer } from './server.ts';

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as one JSON value. */
  readonly json: Json;
  /** Standard output as NDJSON. */
  readonly lines: readonly Json[];
}

const [command, ...words] = stratalogCommand;

/** Commands that are programs of their own, or open a data folder, and are tested as processes. */
const ownProcess = new Set(['serve', 'demo', 'mcp', 'doctor', 'restore']);
const isOwnProcess = (args: readonly string[]) => ownProcess.has(args[0]!) || args.includes('--data');

/**
 * Runs `stratalog …` to its end, in this process if the command only talks to a server. Of the Stratalog variables, it only gets those in
 * `environment`.
 */
export async function stratalog(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<CliResult> {
  return isOwnProcess(args)
    ? stratalogProcess(args, environment)
    : resultOf(await runInProcess(args, environment));
}

/** Runs `stratalog …` to its end in a process of its own. */
export function stratalogProcess(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<CliResult> {
  return run(command, [...words, ...args], environment);
}

/** Runs a bash script that can call `stratalog`, to its end. */
function shell(script: string, environment: Readonly<Record<string, string>>): Promise<CliResult> {
  const named = `stratalog() { '${stratalogCommand.join("' '")}' "$@"; }`;
  return run('bash', ['-c', `set -o pipefail\n${named}\n${script}`], environment);
}

async function run(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<CliResult> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('STRATALOG_'));
  const child = spawn(command, args, {
    env: { ...Object.fromEntries(own), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return resultOf({ code, stdout, stderr });
}

function resultOf({ code, stdout, stderr }: Pick<CliResult, 'code' | 'stdout' | 'stderr'>): CliResult {
  return {
    code,
    stdout,
    stderr,
    get json() {
      return JSON.parse(stdout);
    },
    get lines() {
      return stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
    },
  };
}

/**
 * Starts `stratalog …` and sends `signal` once it has a temporary file with `made` in its path. Returns the exit code or signal,
 * and the temporary files that were left.
 */
export async function stratalogEndedBy(
  signal: NodeJS.Signals,
  args: readonly string[],
  made: string,
): Promise<{ ended: number | NodeJS.Signals; left: string[] }> {
  const temporary = await mkdtemp(path.join(tmpdir(), 'stratalog-ended-'));
  const files = () => readdir(temporary, { recursive: true });
  try {
    const child = spawn(command, [...words, ...args], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    // A folder may be removed while it is read.
    const isMade = async () => (await files().catch(() => [])).some((file) => file.includes(made));
    await expect.poll(isMade, { timeout: 20_000 }).toBe(true);
    child.kill(signal);
    const [code, by] = await exit;
    return { ended: code ?? by!, left: await files() };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Runs `stratalog …` with the key of `client`. */
export function stratalogAs(
  server: Pick<TestServer, 'url'>,
  client: Pick<Client, 'key'>,
  ...args: string[]
): Promise<CliResult> {
  return stratalog(args, environmentOf(server, client));
}

/** Runs a bash script whose calls of `stratalog` use the key of `client`. */
export function shellAs(
  server: Pick<TestServer, 'url'>,
  client: Pick<Client, 'key'>,
  script: string,
): Promise<CliResult> {
  return shell(script, environmentOf(server, client));
}

const environmentOf = ({ url }: Pick<TestServer, 'url'>, { key }: Pick<Client, 'key'>) => ({
  STRATALOG_URL: url,
  STRATALOG_API_KEY: key!,
});

/** Expects exit code `code` and these words on standard error, without a stack trace. */
export function expectClear(result: CliResult, code: number, ...words: (string | RegExp)[]): void {
  expect(result.code, result.stderr + result.stdout).toBe(code);
  for (const word of words) expect(result.stderr).toMatch(word);
  expect(result.stderr).not.toMatch(/^\s+at /m);
}

/** Memories with an externalId each, to import and export. */
export const threeMemories = [
  {
    externalId: 'm1',
    content: 'The lighthouse keeper counts the ships',
    tags: ['sea'],
    metadata: { page: 1 },
  },
  {
    externalId: 'm2',
    content: 'Bread is baked before dawn',
    spaces: ['kitchen'],
    occurredAt: '2024-05-01T04:00:00.000Z',
  },
  { externalId: 'm3', content: 'Lärm am Hafen 🚢', layer: 'company' },
];
