// npm run test:servers: starts the real servers, runs what needs them and the whole conformance suite on them.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

function run(program, args, environment = {}) {
  const { status } = spawnSync(program, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  return status ?? 1;
}

const stack = (...words) => run(process.execPath, [path.join('stack', 'cli.mjs'), ...words]);

if (stack('up', 'postgres') !== 0) process.exit(1);
const environment = {
  STRATALOG_POSTGRES_URL:
    process.env.STRATALOG_POSTGRES_URL ?? 'postgres://stratalog:stratalog@127.0.0.1:54329/stratalog',
  STRATALOG_TEST_PROFILE: 'postgres',
};
const status = run(
  'npx',
  ['--no', 'vitest', 'run', '--project', 'servers', '--project', 'conformance'],
  environment,
);
if (process.env.STRATALOG_KEEP_SERVERS === undefined) stack('down', 'postgres');
process.exit(status);
