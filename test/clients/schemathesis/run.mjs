// npm run contract [-- [--seed N] [--minutes M]]
// Starts a server (embedded, fresh data), and has schemathesis try what its OpenAPI document allows and forbids, with a key of each role.
// Without --minutes, each role takes as long as its cases do; with it, new cases are tried until the time is over.
import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { root, wholeNumber } from '../../support/run.mjs';

const folder = path.dirname(fileURLToPath(import.meta.url));
const venv = path.join(root, '.cache', 'schemathesis');

/** Installs schemathesis with the versions and hashes of `requirements.txt`, unless they are installed. Throws without Python. */
export function install() {
  const requirements = path.join(folder, 'requirements.txt');
  const state = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  const stamp = path.join(venv, 'installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === state) return;
  try {
    execFileSync('python3', ['-c', 'import sys, venv, ensurepip; assert sys.version_info >= (3, 11)'], {
      stdio: 'ignore',
    });
  } catch {
    throw new Error(
      'the contract is checked by schemathesis, which needs python3 (3.11 or later) with venv and pip: on Debian, apt install python3-venv python3-pip',
    );
  }
  rmSync(venv, { recursive: true, force: true });
  execFileSync('python3', ['-m', 'venv', venv], { stdio: 'inherit' });
  const words = ['install', '--quiet', '--require-hashes', '--disable-pip-version-check', '-r', requirements];
  execFileSync(path.join(venv, 'bin', 'pip'), words, { stdio: 'inherit' });
  writeFileSync(stamp, state);
}

/**
 * Runs schemathesis against the server at `url`, for all operations or those with the given ids, and resolves to its exit status. The
 * operations left out would end the key that calls them; tests of the project call them.
 */
export function tryOut(url, key, { seed, phases, examples, seconds, operations = [] }) {
  const words = [
    '--config-file',
    'schemathesis.toml',
    'run',
    `${url}/openapi.json`,
    '--header',
    `Authorization: Bearer ${key}`,
    '--exclude-operation-id',
    'revokeKey',
    '--exclude-operation-id',
    'eraseTenant',
    ...operations.flatMap((id) => ['--include-operation-id', id]),
    '--phases',
    phases,
    '--max-examples',
    String(examples),
    '--seed',
    String(seed),
    '--no-color',
    ...(seconds === undefined ? [] : ['--max-time', String(seconds)]),
  ];
  const child = spawn(path.join(venv, 'bin', 'schemathesis'), words, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' },
  });
  let output = '';
  child.stdout.on('data', (data) => (output += data));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (status) => resolve({ status: status ?? 1, output }));
  });
}

async function main() {
  const { seed, minutes } = parseArgs({
    options: { seed: { type: 'string', default: String(randomInt(2 ** 31)) }, minutes: { type: 'string' } },
  }).values;
  install();
  const roles = ['admin', 'member', 'reader', 'agent', 'auditor', 'operator'];
  const seconds =
    minutes === undefined
      ? undefined
      : Math.ceil((Number(wholeNumber('minutes', minutes)) * 60) / roles.length);
  const data = mkdtempSync(path.join(tmpdir(), 'stratalog-contract-'));
  const masterKey = randomBytes(24).toString('hex');
  const server = spawn(process.execPath, [path.join(root, 'bin', 'stratalog.mjs'), 'serve', '--port', '0'], {
    env: {
      ...process.env,
      STRATALOG_DATA: data,
      STRATALOG_MASTER_KEY: masterKey,
      STRATALOG_EMBEDDER: 'deterministic',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let failed = 0;
  try {
    const url = await urlOf(server);
    console.log(`seed: ${wholeNumber('seed', seed)}`);
    let admin;
    for (const role of roles) {
      const key = await newKey(url, admin ?? masterKey, role, admin === undefined);
      admin ??= key;
      console.log(`\n## ${role}`);
      const { status, output } = await tryOut(url, key, {
        seed: wholeNumber('seed', seed),
        phases: 'examples,coverage,fuzzing,stateful',
        examples: role === 'admin' ? 100 : 20,
        seconds,
      });
      console.log(output);
      if (status !== 0) failed++;
    }
  } finally {
    server.kill();
    rmSync(data, { recursive: true, force: true });
  }
  process.exit(failed > 0 ? 1 : 0);
}

/** The address that the server prints or logs once it is ready. */
async function urlOf(server) {
  for await (const line of createInterface({ input: server.stdout })) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (!url) continue;
    server.stdout.resume();
    return url;
  }
  throw new Error('the server did not start');
}

async function newKey(url, credential, role, isFirst) {
  const response = await fetch(`${url}/v1/admin/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      role,
      ...(isFirst && { tenant: 'contract' }),
      ...(role === 'agent' ? { agent: 'helper', users: ['*'] } : { user: 'ada' }),
      orgs: ['acme'],
      teams: ['release'],
      projects: ['apollo'],
    }),
  });
  const body = await response.json();
  if (!response.ok) throw new Error(JSON.stringify(body));
  return body.key;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
