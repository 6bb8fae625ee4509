// npm run faults -- [--count 300] [--seed N]: so many faults in a cluster of real servers under load, each followed by
// the question whether anything was lost, doubled or reordered. Says of each what it did, what was acknowledged and what
// was found.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { parseArgs } from 'node:util';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const run = (program, args, environment = {}) =>
  spawnSync(program, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...environment } }).status ??
  1;
const wholeNumber = (name, value) => {
  if (/^\d{1,10}$/.test(value)) return value;
  console.error(`--${name} must be a whole number, not ${value}`);
  process.exit(2);
};

const options = { count: { type: 'string', default: '30' }, seed: { type: 'string' } };
const { count, seed } = parseArgs({ options }).values;
const environment = {
  STRATALOG_FAULT_COUNT: wholeNumber('count', count),
  ...(seed !== undefined && { STRATALOG_TEST_SEED: wholeNumber('seed', seed) }),
};
// The test starts servers of its own, from the programs that the stack fetches.
const fetched = run(process.execPath, [
  path.join('stack', 'cli.mjs'),
  'fetch',
  'postgres',
  'kafka',
  'opensearch',
]);
if (fetched !== 0) process.exit(fetched);
process.exit(
  run(
    'npx',
    ['--no', 'vitest', 'run', '--project', 'servers', 'test/servers/cluster-faults.test.ts'],
    environment,
  ),
);
