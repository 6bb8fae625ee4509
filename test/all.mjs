// npm run test:all -- [--seed N]
// Runs all tests on all profiles, with more faults than the gate: overnight, or before a release. Draws a new seed.
import { randomInt } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root, run, wholeNumber } from './support/run.mjs';

const { seed = String(randomInt(2 ** 32)) } = parseArgs({ options: { seed: { type: 'string' } } }).values;
const reports = path.join(root, '.cache', 'reports');
const environment = {
  STRATALOG_TEST_SEED: wholeNumber('seed', seed),
  STRATALOG_TEST_REPORTS: reports,
  STRATALOG_TEST_ALL: '1',
  STRATALOG_FAULT_KILLS: '50',
  STRATALOG_FAULT_COUNT: '30',
  STRATALOG_PROPERTY_SHARE: '1',
  STRATALOG_LOG_MUTATIONS: '500',
  STRATALOG_TLOG_TESSERA: 'on',
};
console.log(`seed of this run: ${seed}`);
rmSync(reports, { recursive: true, force: true });
const failed = [];
for (const words of [['test'], ['run', 'test:servers', '--', '--all']]) {
  const status = await run('npm', words, { environment });
  if (status !== 0) failed.push(`npm ${words.join(' ')} ended with ${status}`);
}
process.exit(await run(process.execPath, ['.ci/summary.mjs', reports, ...failed]));
