// npm run test:servers: starts the real servers, runs what needs them, and the whole conformance suite on the profiles
// postgres and cluster.
import { spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Resolves to the exit status. With `file` what it prints goes there. */
function run(program, args, { environment = {}, file } = {}) {
  const output = file === undefined ? undefined : openSync(file, 'w');
  const child = spawn(program, args, {
    cwd: root,
    stdio: output === undefined ? 'inherit' : ['ignore', output, output],
    env: { ...process.env, ...environment },
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (status) => resolve(status ?? 1));
  });
}

const stack = (...words) => run(process.execPath, [path.join('stack', 'cli.mjs'), ...words]);

/** Those that the caller has not named elsewhere. */
const servers = [
  'postgres',
  ...(process.env.STRATALOG_KAFKA_BROKERS === undefined ? ['kafka'] : []),
  ...(process.env.STRATALOG_OPENSEARCH_URL === undefined ? ['opensearch'] : []),
];
const environment = {
  STRATALOG_POSTGRES_URL:
    process.env.STRATALOG_POSTGRES_URL ?? 'postgres://stratalog:stratalog@127.0.0.1:54329/stratalog',
  STRATALOG_KAFKA_BROKERS: process.env.STRATALOG_KAFKA_BROKERS ?? '127.0.0.1:9092',
  STRATALOG_OPENSEARCH_URL: process.env.STRATALOG_OPENSEARCH_URL ?? 'http://127.0.0.1:9200',
};
const vitest = (project, profile, file) =>
  run('npx', ['--no', 'vitest', 'run', '--project', project], {
    environment: { ...environment, STRATALOG_TEST_PROFILE: profile },
    file,
  });

/** On one profile after the other, into files: it runs beside the server tests, which mostly wait. */
async function conformance() {
  let failed = 0;
  for (const profile of ['postgres', 'cluster']) {
    if (await vitest('conformance', profile, logOf(profile))) failed = 1;
  }
  return failed;
}

function logOf(profile) {
  return path.join(root, '.cache', `conformance-${profile}.log`);
}

let status = await stack('up', ...servers);
if (status === 0) {
  mkdirSync(path.join(root, '.cache'), { recursive: true });
  const [own, theirs] = await Promise.all([vitest('servers', 'postgres'), conformance()]);
  for (const profile of ['postgres', 'cluster']) process.stdout.write(readFileSync(logOf(profile)));
  status = own || theirs;
}
if (process.env.STRATALOG_KEEP_SERVERS === undefined) await stack('down', ...servers);
process.exit(status);
